/**
 * Clients that make load and count what comes back.
 *
 * <p>Starting points: {@link dev.sallyport.compare.load.Load}, {@link dev.sallyport.compare.load.Dialler}.
 */
@NullMarked
package dev.sallyport.compare.load;

import org.jspecify.annotations.NullMarked;
