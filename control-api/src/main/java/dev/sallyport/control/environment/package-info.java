/**
 * Variables that the sandboxes of an account get.
 *
 * <p>Starting points: {@link dev.sallyport.control.environment.Variables}.
 */
@NullMarked
package dev.sallyport.control.environment;

import org.jspecify.annotations.NullMarked;
