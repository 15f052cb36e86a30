/**
 * Credentials that accounts keep here, for which workloads hold placeholders.
 *
 * <p>Starting points: {@link dev.sallyport.control.secret.Secrets}.
 */
@NullMarked
package dev.sallyport.control.secret;

import org.jspecify.annotations.NullMarked;
