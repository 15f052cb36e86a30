/**
 * HTTP/2 with clients (RFC 9113).
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.net.http2.ClientHttp2Connection}: one connection
 *   <li>{@link dev.sallyport.core.net.http2.ClientHttp2FrameHandler}: what is taken, and what ends a stream or a connection
 *   <li>{@link dev.sallyport.core.net.http2.ClientHttp2Stream}: one request and its response
 *   <li>{@link dev.sallyport.core.net.http2.Http2Scheduler}: whose data is sent next
 * </ul>
 */
@NullMarked
package dev.sallyport.core.net.http2;

import org.jspecify.annotations.NullMarked;
