/**
 * The wire form of HTTP/1.1 (RFC 9112), on both sides of the proxy: heads, chunks, trailers, and where a message ends.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.http1.MessageFraming}: where the body of a message ends
 *   <li>{@link dev.sallyport.core.http1.RequestHeadWriter}: heads to origins
 *   <li>{@link dev.sallyport.core.http1.ResponseHeadWriter}: heads to clients
 *   <li>{@link dev.sallyport.core.http1.ChunkWriter}: bodies of unknown length and their trailers, to either
 * </ul>
 */
@NullMarked
package dev.sallyport.core.http1;

import org.jspecify.annotations.NullMarked;
