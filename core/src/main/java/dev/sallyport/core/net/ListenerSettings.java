package dev.sallyport.core.net;

import dev.sallyport.core.config.ProxySection.Transparent;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.toolkit.match.CidrSet;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The settings of one listener.
 *
 * @param kind the kind of traffic that it accepts
 * @param address the address to bind; port 0 selects a free one
 * @param proxyProtocol the load balancers that must send the client's address with the PROXY protocol; headers from
 *     elsewhere are not trusted
 * @param transparent how the kernel delivers connections for other addresses
 * @param adopted whether the socket was made elsewhere, in a network in which every address is local: where a client
 *     arrives is the destination that it meant
 */
public record ListenerSettings(
        ListenerKind kind, InetSocketAddress address, CidrSet proxyProtocol, Transparent transparent, boolean adopted) {

    /** For a socket of the proxy's own. */
    public ListenerSettings(
            ListenerKind kind, InetSocketAddress address, CidrSet proxyProtocol, Transparent transparent) {
        this(kind, address, proxyProtocol, transparent, false);
    }

    /** For clients that connect to the proxy directly. */
    public ListenerSettings(ListenerKind kind, InetSocketAddress address) {
        this(kind, address, CidrSet.of(List.of()), Transparent.OFF);
    }

    /** For a socket that another part of the program made, bound to this address. */
    static ListenerSettings adopted(ListenerKind kind, InetSocketAddress address) {
        return new ListenerSettings(kind, address, CidrSet.of(List.of()), Transparent.OFF, true);
    }
}
