package dev.sallyport.sandboxd.net;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses guests have, and where the gate is. The gate has the first address of the subnet.
 *
 * @param network the subnet's address
 * @param prefixLength 8 to 29
 * @param tcpPort where the gate takes TCP of every port, with the original destination
 * @param dnsPort where the gate answers DNS, over UDP and TCP
 * @param connectionsPerGuest how many connections a guest may have open at a time, and how many DNS exchanges
 */
public record GatePlan(Inet4Address network, int prefixLength, int tcpPort, int dnsPort, int connectionsPerGuest) {

    private static final Pattern INDEX = Pattern.compile("[0-9]{1,8}");
    private static final int BITS = 32;
    private static final int SECONDS_TO_FILL = 8;
    private static final int LEAST_CONNECTS = 20;

    /** Checks the plan. */
    public GatePlan {
        if (prefixLength < 8 || prefixLength > 29 || (number(network) & (size(prefixLength) - 1)) != 0) {
            throw new IllegalArgumentException("the subnet is none (expected: ADDRESS/8 to ADDRESS/29, no host bits)");
        }
        if (network.isLoopbackAddress() || network.isMulticastAddress()) {
            throw new IllegalArgumentException("the subnet is one of loopback or multicast addresses");
        }
        if (tcpPort < 1 || tcpPort > 65_535 || dnsPort < 1 || dnsPort > 65_535 || tcpPort == dnsPort) {
            throw new IllegalArgumentException("the gate's ports are none, or the same (expected: 1 to 65535)");
        }
        if (connectionsPerGuest < 1 || connectionsPerGuest > 1_000_000) {
            throw new IllegalArgumentException("the number of connections is out of range (expected: 1 to 1000000)");
        }
    }

    /** The gate's address. */
    public String gate() {
        return gateAddress().getHostAddress();
    }

    /** The same, as no text. */
    Inet4Address gateAddress() {
        return address(number(network) + 1);
    }

    /** The subnet, as {@code ADDRESS/LENGTH}. */
    String subnet() {
        return network.getHostAddress() + "/" + prefixLength;
    }

    /** How many TCP connections a guest may begin in a second, after a burst of {@link #connectionsPerGuest}. */
    int connectsPerSecond() {
        return Math.max(LEAST_CONNECTS, connectionsPerGuest / SECONDS_TO_FILL);
    }

    /** The number of a guest's address in the subnet: 2 for the first that a guest can have. */
    public int index(Inet4Address guest) {
        return (int) (number(guest) - number(network));
    }

    /** Whether a guest can have an address. */
    public boolean isForGuests(Inet4Address address) {
        long offset = number(address) - number(network);
        return offset >= 2 && offset < size(prefixLength) - 1;
    }

    /** The name of the host's end of a guest's cable. */
    String cable(Inet4Address guest) {
        return Ruleset.CABLES + index(guest);
    }

    /** Whose a cable is, by its name; null for one that is none of a guest's. */
    @Nullable Inet4Address guest(String cable) {
        String index = cable.startsWith(Ruleset.CABLES) ? cable.substring(Ruleset.CABLES.length()) : "";
        if (!INDEX.matcher(index).matches()) {
            return null;
        }
        Inet4Address guest = address(number(network) + Integer.parseInt(index));
        return isForGuests(guest) ? guest : null;
    }

    private static Inet4Address address(long number) {
        try {
            byte[] bytes =
                    ByteBuffer.allocate(Integer.BYTES).putInt((int) number).array();
            return (Inet4Address) InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // four bytes are one
        }
    }

    /** The name of a guest's network namespace. */
    String namespace(Inet4Address guest) {
        return Cables.NAMESPACES + index(guest);
    }

    private static long size(int prefixLength) {
        return 1L << (BITS - prefixLength);
    }

    private static long number(Inet4Address address) {
        return Integer.toUnsignedLong(ByteBuffer.wrap(address.getAddress()).getInt());
    }
}
