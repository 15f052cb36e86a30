/**
 * The client's side: listeners, what their connections speak, HTTP/1.1 and HTTP/2. A handler here translates; the
 * exchange decides.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.net.Listeners}: binds, counts, drains
 *   <li>{@link dev.sallyport.core.net.Loops}: the event loops
 *   <li>{@link dev.sallyport.core.net.Acceptor}: who connects, and where to
 *   <li>{@link dev.sallyport.core.net.ProxyUsers}: who may use the tunnel listener
 *   <li>{@link dev.sallyport.core.net.DestinationResolver}: makes one destination of all that a request says
 *   <li>{@link dev.sallyport.core.net.RequestDecoder}: what HTTP/1.1 is taken for a request, and what is not
 *   <li>{@link dev.sallyport.core.net.FrameReader}, {@link dev.sallyport.core.net.Http2Dispatch}: what of HTTP/2 is taken,
 *       and what ends a stream or a connection
 *   <li>{@link dev.sallyport.core.net.Http2Output}: whose data is sent next
 * </ul>
 *
 * <p>The stages of a connection: {@link dev.sallyport.core.net.ProxyProtocolHandler} (behind a load balancer), {@link
 * dev.sallyport.core.net.FirstBytesHandler} (tunnel listener, inside tunnels, redirected connections), {@link
 * dev.sallyport.core.net.Socks5Handler}, {@link dev.sallyport.core.net.PrefaceHandler} (http listener), {@link
 * dev.sallyport.core.net.HelloHandler} (TLS), {@link dev.sallyport.core.net.Http1Connection} or {@link
 * dev.sallyport.core.net.Http2Connection}.
 */
@NullMarked
package dev.sallyport.core.net;

import org.jspecify.annotations.NullMarked;
