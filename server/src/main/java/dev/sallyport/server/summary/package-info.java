/**
 * Says in words what a configuration means.
 *
 * <p>Starting points: {@link dev.sallyport.server.summary.ConfigSummary}.
 */
@NullMarked
package dev.sallyport.server.summary;

import org.jspecify.annotations.NullMarked;
