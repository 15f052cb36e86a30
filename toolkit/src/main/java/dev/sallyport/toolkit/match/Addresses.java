package dev.sallyport.toolkit.match;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** Addresses that hide in other addresses. Pure functions. */
public final class Addresses {

    private static final long NAT64 = 0x0064_FF9B_0000_0000L;
    private static final long NAT64_LOCAL = 0x0064_FF9B_0001L;

    private Addresses() {}

    /** The IPv4 address in an IPv4-mapped one (RFC 4291, 2.5.5.2), else the address itself. */
    public static InetAddress unmapped(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == 16 && Ip.mapped(Ip.high(bytes), Ip.low(bytes))
                ? Ip.address((int) Ip.low(bytes))
                : address;
    }

    /**
     * The IPv4 addresses that a packet to this address may end up at: the one in an IPv4-mapped, in a 6to4 (RFC 3056)
     * and in a NAT64 address ({@code 64:ff9b::/96}, RFC 6052). For {@code 64:ff9b:1::/48} (RFC 8215), where each
     * network chooses the prefix length, all the places that RFC 6052, 2.2 allows. Empty for any other address.
     */
    public static List<InetAddress> embedded(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 4) {
            return List.of();
        }
        long high = Ip.high(bytes);
        long low = Ip.low(bytes);
        if (Ip.mapped(high, low) || (high == NAT64 && low >>> 32 == 0)) {
            return List.of(Ip.address((int) low));
        }
        if (high >>> 48 == 0x2002) {
            return List.of(Ip.address((int) (high >>> 16)));
        }
        return high >>> 16 == NAT64_LOCAL ? localNat64(high, low) : List.of();
    }

    /** RFC 6052, 2.2: the address skips bits 64 to 71 unless it follows a prefix of 96 bits. */
    private static List<InetAddress> localNat64(long high, long low) {
        List<InetAddress> places = new ArrayList<>(4);
        places.add(Ip.address((int) low));
        places.add(Ip.address((int) (high << 16 | (low >>> 40 & 0xFFFF))));
        places.add(Ip.address((int) (high << 24 | (low >>> 32 & 0xFFFFFF))));
        places.add(Ip.address((int) (low >>> 24)));
        return List.copyOf(places);
    }
}
