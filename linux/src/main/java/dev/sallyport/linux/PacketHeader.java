package dev.sallyport.linux;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * The header of an IP packet, of either version.
 *
 * @param protocol the number of what follows; of IPv6 that of the first extension header, where there is one
 * @param source where it says it comes from
 * @param target where it goes
 * @param end where it ends
 */
public record PacketHeader(int protocol, InetAddress source, InetAddress target, int end) {

    public static final int TCP = 6;
    public static final int UDP = 17;

    private static final int IPV6_HEADER = 40;

    /**
     * Reads the header that begins at a place.
     *
     * @throws IndexOutOfBoundsException where the packet is cut short
     */
    public static PacketHeader at(ByteBuffer packet, int at) {
        boolean ipv6 = (packet.get(at) & 0xf0) == 0x60;
        int length = ipv6 ? 16 : 4;
        int addresses = at + (ipv6 ? 8 : 12);
        int end = at + (ipv6 ? IPV6_HEADER : (packet.get(at) & 0xf) * 4);
        return new PacketHeader(
                packet.get(at + (ipv6 ? 6 : 9)) & 0xff,
                address(packet, addresses, length),
                address(packet, addresses + length, length),
                end);
    }

    private static InetAddress address(ByteBuffer packet, int at, int length) {
        byte[] address = new byte[length];
        packet.get(at, address);
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + length + " bytes", e);
        }
    }

    /** The port of TCP or UDP that a packet has at a place. */
    public static int port(ByteBuffer packet, int at) {
        return (packet.get(at) & 0xff) << 8 | (packet.get(at + 1) & 0xff);
    }

    /** Such as {@code 192.0.2.7:25} or {@code [2001:db8::1]:443}. */
    public static String withPort(InetAddress address, int port) {
        String text = text(address);
        return (address instanceof Inet6Address ? "[" + text + "]" : text) + ":" + port;
    }

    /** The text of an address; of IPv6 the canonical one (RFC 5952), without the longest run of zeros. */
    public static String text(InetAddress address) {
        String text = ":" + address.getHostAddress() + ":";
        for (String zeros = ":0:0:0:0:0:0:0:0:"; zeros.length() > ":0:".length(); zeros = zeros.substring(2)) {
            int at = text.indexOf(zeros);
            if (at >= 0) {
                String cut = text.substring(0, at) + "::" + text.substring(at + zeros.length());
                return cut.replaceAll("^:(?!:)|(?<!:):$", "");
            }
        }
        return text.substring(1, text.length() - 1);
    }
}
