package dev.sallyport.server.run.linux;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel refused inside a namespace.
 *
 * @param protocol {@code tcp} or {@code udp}
 */
public record RefusedPacket(String protocol, InetAddress address, int port) {

    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int ICMP_HEADER = 8;
    private static final int IPV6_HEADER = 40;

    /** Reads the packet that says so, from its IP header on; null for one that is cut short or of another protocol. */
    static @Nullable RefusedPacket of(ByteBuffer packet) {
        try {
            Header header = Header.at(packet, 0);
            if (header.protocol == TCP) {
                return of(
                        "tcp",
                        header.source,
                        port(packet, header.end)); // the reset comes from where it was meant to go
            }
            Header inner = Header.at(packet, header.end + ICMP_HEADER);
            String protocol = inner.protocol == UDP ? "udp" : inner.protocol == TCP ? "tcp" : "";
            return protocol.isEmpty() ? null : of(protocol, inner.target, port(packet, inner.end + 2));
        } catch (IndexOutOfBoundsException e) {
            return null;
        }
    }

    private static RefusedPacket of(String protocol, byte[] address, int port) {
        try {
            return new RefusedPacket(protocol, InetAddress.getByAddress(address), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + address.length + " bytes", e);
        }
    }

    private static int port(ByteBuffer packet, int at) {
        return (packet.get(at) & 0xff) << 8 | (packet.get(at + 1) & 0xff);
    }

    private record Header(int protocol, byte[] source, byte[] target, int end) {

        static Header at(ByteBuffer packet, int at) {
            boolean ipv6 = (packet.get(at) & 0xf0) == 0x60;
            int length = ipv6 ? 16 : 4;
            byte[] source = new byte[length];
            byte[] target = new byte[length];
            int addresses = at + (ipv6 ? 8 : 12);
            packet.get(addresses, source);
            packet.get(addresses + length, target);
            int end = at + (ipv6 ? IPV6_HEADER : (packet.get(at) & 0xf) * 4);
            return new Header(packet.get(at + (ipv6 ? 6 : 9)) & 0xff, source, target, end);
        }
    }

    /** Such as {@code tcp 192.0.2.7:25} or {@code udp [2001:db8::1]:443}. */
    @Override
    public String toString() {
        String text = address.getHostAddress();
        return protocol + " " + (address instanceof Inet6Address ? "[" + text + "]" : text) + ":" + port;
    }
}
