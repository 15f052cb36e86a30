/**
 * Frames and field sections of HTTP/2 (RFC 9113, RFC 7541), on both sides of the proxy.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.http2.FrameReader}: frames of a connection
 *   <li>{@link dev.sallyport.core.http2.FieldSection}: the rules for a field section
 *   <li>{@link dev.sallyport.core.http2.HpackReader}: from bytes to fields
 *   <li>{@link dev.sallyport.core.http2.HpackWriter}: from fields to bytes
 * </ul>
 */
@NullMarked
package dev.sallyport.core.http2;

import org.jspecify.annotations.NullMarked;
