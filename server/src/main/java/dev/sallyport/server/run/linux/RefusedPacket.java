package dev.sallyport.server.run.linux;

import dev.sallyport.linux.PacketHeader;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel refused inside a namespace.
 *
 * @param protocol {@code tcp} or {@code udp}
 */
public record RefusedPacket(String protocol, InetAddress address, int port) {

    private static final int ICMP_HEADER = 8;

    /** Reads the packet that says so, from its IP header on; null for one that is cut short or of another protocol. */
    static @Nullable RefusedPacket of(ByteBuffer packet) {
        try {
            PacketHeader header = PacketHeader.at(packet, 0);
            if (header.protocol() == PacketHeader.TCP) {
                return new RefusedPacket(
                        "tcp",
                        header.source(),
                        PacketHeader.port(packet, header.end())); // the reset comes from where it was meant to go
            }
            PacketHeader inner = PacketHeader.at(packet, header.end() + ICMP_HEADER);
            return switch (inner.protocol()) {
                case PacketHeader.UDP -> meant("udp", inner, packet);
                case PacketHeader.TCP -> meant("tcp", inner, packet);
                default -> null;
            };
        } catch (IndexOutOfBoundsException e) {
            return null;
        }
    }

    private static RefusedPacket meant(String protocol, PacketHeader header, ByteBuffer packet) {
        return new RefusedPacket(protocol, header.target(), PacketHeader.port(packet, header.end() + 2));
    }

    /** Such as {@code tcp 192.0.2.7:25} or {@code udp [2001:db8::1]:443}. */
    @Override
    public String toString() {
        return protocol + " " + PacketHeader.withPort(address, port);
    }
}
