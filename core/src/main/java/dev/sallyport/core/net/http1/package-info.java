/**
 * HTTP/1.1 with clients (RFC 9112).
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.net.http1.ClientHttp1Decoder}: what counts as a request, and what does not
 *   <li>{@link dev.sallyport.core.net.http1.ClientHttp1Connection}: one connection, with one request after the other
 *   <li>{@link dev.sallyport.core.net.http1.ClientHttp1Exchange}: one request and its response
 * </ul>
 */
@NullMarked
package dev.sallyport.core.net.http1;

import org.jspecify.annotations.NullMarked;
