package dev.sallyport.core.net;

import dev.sallyport.core.config.ProxySection.Transparent;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.toolkit.match.CidrSet;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * One listener.
 *
 * @param kind what it takes
 * @param address where it listens; port 0 takes any free one
 * @param proxyProtocol the load balancers that must say with the PROXY protocol who connects; nobody else is believed
 * @param transparent how connections come that were meant for somebody else
 */
public record ListenerSettings(
        ListenerKind kind, InetSocketAddress address, CidrSet proxyProtocol, Transparent transparent) {

    /** For clients that connect to the proxy directly. */
    public ListenerSettings(ListenerKind kind, InetSocketAddress address) {
        this(kind, address, CidrSet.of(List.of()), Transparent.OFF);
    }
}
