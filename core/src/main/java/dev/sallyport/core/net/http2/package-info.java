/**
 * HTTP/2 with clients (RFC 9113).
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.net.http2.ClientHttp2Connection}: one connection
 *   <li>{@link dev.sallyport.core.net.http2.ClientHttp2FrameHandler}: accepts frames, and ends a stream or a connection
 *       for invalid ones
 *   <li>{@link dev.sallyport.core.net.http2.ClientHttp2Stream}: one request and its response
 *   <li>{@link dev.sallyport.core.http2.FrameScheduler}: chooses the stream that sends next
 * </ul>
 */
@NullMarked
package dev.sallyport.core.net.http2;

import org.jspecify.annotations.NullMarked;
