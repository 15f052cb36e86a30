package dev.sallyport.core.resolve;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of name resolution.
 *
 * @param server the server to query ({@code dns.upstream_resolver}), or null for the operating system's resolvers
 * @param timeout the limit on a whole resolution
 * @param cache how much is cached, and for how long
 */
public record ResolverSettings(@Nullable InetSocketAddress server, Duration timeout, Cache cache) {

    private static final int DNS_PORT = 53;

    /**
     * The bounds of the cache.
     *
     * @param entries the number of names that are cached
     * @param minTtl the shortest time for which an answer is cached
     * @param maxTtl the longest time for which an answer is cached
     * @param negativeTtl how long the absence of an address is cached (RFC 2308)
     */
    public record Cache(int entries, Duration minTtl, Duration maxTtl, Duration negativeTtl) {}

    /** The operating system's resolvers, with times that suit a proxy. */
    public static ResolverSettings system() {
        return new ResolverSettings(
                null,
                Duration.ofSeconds(6),
                new Cache(10_000, Duration.ofSeconds(1), Duration.ofMinutes(10), Duration.ofSeconds(5)));
    }

    /** These settings, with another server. */
    public ResolverSettings withServer(InetSocketAddress newServer) {
        return new ResolverSettings(newServer, timeout, cache);
    }

    /** These settings, with another timeout. */
    public ResolverSettings withTimeout(Duration newTimeout) {
        return new ResolverSettings(server, newTimeout, cache);
    }

    /**
     * Parses {@code 1.2.3.4}, {@code 1.2.3.4:5353}, {@code ::1}, {@code [::1]} or {@code [::1]:53}. A name is refused:
     * it would have to be resolved first.
     *
     * @throws IllegalArgumentException with what was expected, not what was given
     */
    public static InetSocketAddress parseServer(String text) {
        String host = text;
        int port = DNS_PORT;
        int colon = text.lastIndexOf(':');
        boolean bracketed = text.startsWith("[");
        if (bracketed ? text.indexOf("]:") >= 0 : colon >= 0 && text.indexOf(':') == colon) {
            host = text.substring(0, colon);
            port = port(text.substring(colon + 1));
        }
        if (bracketed && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(host);
        if (address == null || (bracketed && !NetUtil.isValidIpV6Address(host))) {
            throw new IllegalArgumentException(
                    "not a resolver address (expected: an IP address, with port if it is not 53)");
        }
        return new InetSocketAddress(address, port);
    }

    private static int port(String text) {
        if (!text.isEmpty() && text.length() <= 5 && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            int port = Integer.parseInt(text);
            if (port >= 1 && port <= 65535) {
                return port;
            }
        }
        throw new IllegalArgumentException("not a port (expected: 1 to 65535)");
    }
}
