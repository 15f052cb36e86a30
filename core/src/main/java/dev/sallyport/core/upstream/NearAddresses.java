package dev.sallyport.core.upstream;

import dev.sallyport.toolkit.match.Addresses;
import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.IpRange;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * The addresses that are near enough for a credential without TLS (docs/spec/decisions.md, section 6): loopback,
 * private, shared and link-local ones. An address that embeds an IPv4 address counts as that address; if it is
 * uncertain which one it embeds, all must be near. Pure functions.
 */
public final class NearAddresses {

    private static final CidrSet NEAR = CidrSet.of(Stream.of(
                    "0.0.0.0/32",
                    "127.0.0.0/8",
                    "10.0.0.0/8",
                    "172.16.0.0/12",
                    "192.168.0.0/16",
                    "100.64.0.0/10",
                    "169.254.0.0/16",
                    "::/128",
                    "::1/128",
                    "fc00::/7",
                    "fe80::/10")
            .map(IpRange::parse)
            .toList());

    private NearAddresses() {}

    /** Whether a credential may be sent to this address without TLS. */
    public static boolean contain(InetAddress address) {
        List<InetAddress> embedded = Addresses.embedded(address);
        return embedded.isEmpty() ? NEAR.contains(address) : embedded.stream().allMatch(NEAR::contains);
    }
}
