/**
 * The wire form of HTTP/1.1 heads (RFC 9112), on both sides of the proxy.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.http1.RequestHeadWriter}: requests to origins
 *   <li>{@link dev.sallyport.core.http1.ResponseHeadWriter}: responses to clients
 * </ul>
 */
@NullMarked
package dev.sallyport.core.http1;

import org.jspecify.annotations.NullMarked;
