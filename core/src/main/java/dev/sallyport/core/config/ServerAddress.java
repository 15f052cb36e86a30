package dev.sallyport.core.config;

import dev.sallyport.toolkit.match.Hosts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * The address of a name server.
 *
 * @param address its address
 * @param port its port; 53 when none was given
 */
public record ServerAddress(InetAddress address, int port) {

    private static final int DNS = 53;

    /** Parses {@code 192.0.2.53}, {@code 192.0.2.53:5353}, {@code 2001:db8::53}, {@code [2001:db8::53]:5353}. */
    static ServerAddress parse(String text) {
        String expected = ScalarKind.SERVER.expected();
        int colon = Ports.colon(text);
        boolean bareV6 = colon >= 0 && !text.startsWith("[") && text.indexOf(':') < colon;
        if (colon < 0 || bareV6) {
            return new ServerAddress(literal(text, expected), DNS);
        }
        return new ServerAddress(literal(text.substring(0, colon), expected), Ports.port(text.substring(colon + 1), 1));
    }

    static InetAddress literal(String text, String expected) {
        String host = Ports.host(text, expected);
        if (!Hosts.isLiteral(host)) {
            throw new BadValueException("a name instead of an address", expected);
        }
        try {
            return InetAddress.getByName(host); // A literal, so nothing is looked up.
        } catch (UnknownHostException e) {
            throw new BadValueException("not an address", expected);
        }
    }

    /** The socket address. */
    public InetSocketAddress toSocketAddress() {
        return new InetSocketAddress(address, port);
    }

    @Override
    public String toString() {
        String host = address.getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
