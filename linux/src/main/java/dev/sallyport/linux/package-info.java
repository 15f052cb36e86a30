/**
 * What several modules need of Linux and Java has no API for.
 *
 * <p>Starting points: {@link dev.sallyport.linux.SystemCalls}, {@link dev.sallyport.linux.PacketHeader}.
 */
@NullMarked
package dev.sallyport.linux;

import org.jspecify.annotations.NullMarked;
