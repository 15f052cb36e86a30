/**
 * Listeners, and the stages of a connection before it speaks HTTP: they find the client, its load balancer, its
 * original destination and its protocol. Handlers here and in the packages below translate; the exchange decides.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.net.Listeners}: binds, counts, drains
 *   <li>{@link dev.sallyport.core.net.ClientChannelInitializer}: finds the client and its original destination
 *   <li>{@link dev.sallyport.core.net.ProtocolSniffingHandler}: detects the protocol by its first bytes
 *   <li>{@link dev.sallyport.core.net.ClientHelloHandler}: chooses how to handle a TLS connection
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
