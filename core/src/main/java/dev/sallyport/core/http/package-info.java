/**
 * The message model shared by both sides and by HTTP/1.1 and HTTP/2: heads over an array-backed header block.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.http.HeaderBlock}: field lines in wire order and casing
 *   <li>{@link dev.sallyport.core.http.RequestMessage}, {@link dev.sallyport.core.http.ResponseMessage}: heads
 *   <li>{@link dev.sallyport.core.http.HopByHop}: removes the fields that a proxy must not forward
 * </ul>
 */
@NullMarked
package dev.sallyport.core.http;

import org.jspecify.annotations.NullMarked;
