/**
 * Tunnels: SOCKS5 (RFC 1928), and TLS that the proxy passes through without reading it.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.net.tunnel.Socks5Handler}: opens tunnels
 *   <li>{@link dev.sallyport.core.net.tunnel.TlsPassthroughHandler}: judges a connection by its ClientHello
 *   <li>{@link dev.sallyport.core.net.tunnel.TcpRelay}: couples two connections
 * </ul>
 */
@NullMarked
package dev.sallyport.core.net.tunnel;

import org.jspecify.annotations.NullMarked;
