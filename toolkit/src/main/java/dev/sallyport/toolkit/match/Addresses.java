package dev.sallyport.toolkit.match;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Addresses embedded in other addresses, and those of this machine. */
public final class Addresses {

    private static final long NAT64 = 0x0064_FF9B_0000_0000L;
    private static final long NAT64_LOCAL = 0x0064_FF9B_0001L;

    private Addresses() {}

    /**
     * The addresses that the network interfaces of this machine have now.
     *
     * @throws IllegalStateException when they cannot be listed
     */
    public static Set<InetAddress> ofThisMachine() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .collect(Collectors.toUnmodifiableSet());
        } catch (SocketException e) {
            throw new IllegalStateException("network interfaces: cannot be listed", e);
        }
    }

    /** The IPv4 address in an IPv4-mapped one (RFC 4291, 2.5.5.2), otherwise the address itself. */
    public static InetAddress unmapped(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == 16 && IpBits.mapped(IpBits.high(bytes), IpBits.low(bytes))
                ? IpBits.address((int) IpBits.low(bytes))
                : address;
    }

    /**
     * The IPv4 addresses to which a packet for this address may be delivered: the one in an IPv4-mapped, in a 6to4 (RFC
     * 3056) and in a NAT64 address ({@code 64:ff9b::/96}, RFC 6052). For {@code 64:ff9b:1::/48} (RFC 8215), where each
     * network chooses the prefix length, all the positions that RFC 6052, 2.2 allows. Empty for any other address.
     */
    public static List<InetAddress> embedded(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 4) {
            return List.of();
        }
        long high = IpBits.high(bytes);
        long low = IpBits.low(bytes);
        if (IpBits.mapped(high, low) || (high == NAT64 && low >>> 32 == 0)) {
            return List.of(IpBits.address((int) low));
        }
        if (high >>> 48 == 0x2002) {
            return List.of(IpBits.address((int) (high >>> 16)));
        }
        return high >>> 16 == NAT64_LOCAL ? localNat64(high, low) : List.of();
    }

    /** RFC 6052, 2.2: the address skips bits 64 to 71 unless it follows a prefix of 96 bits. */
    private static List<InetAddress> localNat64(long high, long low) {
        List<InetAddress> places = new ArrayList<>(4);
        places.add(IpBits.address((int) low));
        places.add(IpBits.address((int) (high << 16 | (low >>> 40 & 0xFFFF))));
        places.add(IpBits.address((int) (high << 24 | (low >>> 32 & 0xFFFFFF))));
        places.add(IpBits.address((int) (low >>> 24)));
        return List.copyOf(places);
    }
}
