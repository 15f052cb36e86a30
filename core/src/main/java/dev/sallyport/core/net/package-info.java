/**
 * Listeners, and what is known of a connection before it speaks HTTP: who connects, through which load balancer, where to,
 * and in which protocol. A handler here and in the rooms below translates; the exchange decides.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.net.Listeners}: binds, counts, drains
 *   <li>{@link dev.sallyport.core.net.ClientChannelInitializer}: who connects, and where to
 *   <li>{@link dev.sallyport.core.net.ProtocolSniffingHandler}: tells protocols by their first bytes
 *   <li>{@link dev.sallyport.core.net.ClientHelloHandler}: what becomes of a TLS connection
 *   <li>{@link dev.sallyport.core.net.PipelineConfigurator}: the order of the stages
 * </ul>
 *
 * <p>The stages of a connection: {@link dev.sallyport.core.net.ProxyProtocolHandler} (behind a load balancer), {@link dev.sallyport.core.net.ProtocolSniffingHandler}
 * (tunnel listener, inside tunnels, redirected connections), {@link dev.sallyport.core.net.tunnel.Socks5Handler}, {@link dev.sallyport.core.net.Http2PrefaceHandler}
 * (http listener), {@link dev.sallyport.core.net.ClientHelloHandler} (TLS), {@link dev.sallyport.core.net.http1.ClientHttp1Connection} or {@link dev.sallyport.core.net.http2.ClientHttp2Connection}.
 */
@NullMarked
package dev.sallyport.core.net;

import org.jspecify.annotations.NullMarked;
