/**
 * The server behind every proxy under test.
 *
 * <p>Starting points: {@link dev.sallyport.compare.origin.Origin}.
 */
@NullMarked
package dev.sallyport.compare.origin;

import org.jspecify.annotations.NullMarked;
