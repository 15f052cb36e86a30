package dev.sallyport.sandboxd.net;

import dev.sallyport.linux.PacketHeader;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A packet that a rule has logged, as the kernel tells of it ({@code linux/netfilter/nfnetlink_log.h}).
 *
 * @param cable the number of the interface that it came in by; 0 where that is not told
 * @param prefix what the rule says of it
 * @param packet its beginning, from the header of IP on
 */
record LoggedPacket(int cable, String prefix, ByteBuffer packet) {

    /** {@code NFNL_SUBSYS_ULOG}, {@code NFULNL_MSG_PACKET}. */
    private static final int PACKET = 4 << 8;

    private static final int HEADER = 16;
    private static final int ATTRIBUTES_AT = HEADER + 4;
    private static final int ATTRIBUTE_HEADER = 4;
    private static final int TYPE = 0x3fff;
    private static final int IN_DEVICE = 4;
    private static final int PAYLOAD = 9;
    private static final int PREFIX = 10;

    private static final int ICMP = 1;
    private static final int ICMP_OF_IPV6 = 58;

    /**
     * Reads messages of netlink; those of other kinds are left out, and so is what follows one whose length is wrong.
     *
     * @param messages in the byte order of this machine, from 0 to its limit
     */
    static List<LoggedPacket> of(ByteBuffer messages) {
        List<LoggedPacket> packets = new ArrayList<>();
        int end = messages.limit();
        for (int at = 0; at + HEADER <= end; ) {
            int length = messages.getInt(at);
            if (length < HEADER || length > end - at) {
                break;
            }
            if (messages.getShort(at + Integer.BYTES) == PACKET && length >= ATTRIBUTES_AT) {
                packets.add(read(messages, at + ATTRIBUTES_AT, at + length));
            }
            at += aligned(length);
        }
        return packets;
    }

    private static LoggedPacket read(ByteBuffer messages, int start, int end) {
        int cable = 0;
        String prefix = "";
        ByteBuffer packet = ByteBuffer.allocate(0);
        for (int at = start; at + ATTRIBUTE_HEADER <= end; ) {
            int length = messages.getShort(at) & 0xffff;
            if (length < ATTRIBUTE_HEADER || length > end - at) {
                break;
            }
            ByteBuffer value = messages.slice(at + ATTRIBUTE_HEADER, length - ATTRIBUTE_HEADER); // big-endian
            switch (messages.getShort(at + Short.BYTES) & TYPE) {
                case IN_DEVICE -> cable = value.remaining() == Integer.BYTES ? value.getInt() : 0;
                case PAYLOAD -> packet = value;
                case PREFIX ->
                    prefix = StandardCharsets.US_ASCII.decode(value).toString().replace("\0", "");
                default -> {} // of no use here
            }
            at += aligned(length);
        }
        return new LoggedPacket(cable, prefix, packet);
    }

    private static int aligned(int length) {
        return length + 3 & ~3;
    }

    /** Where it comes from; null for one that is cut short. */
    @Nullable InetAddress source() {
        try {
            return PacketHeader.at(packet, 0).source();
        } catch (IndexOutOfBoundsException e) {
            return null;
        }
    }

    /** Such as {@code udp 192.0.2.7:443} or {@code icmp 192.0.2.7 type 8}. */
    @Override
    public String toString() {
        try {
            PacketHeader header = PacketHeader.at(packet, 0);
            String target = PacketHeader.text(header.target());
            return switch (header.protocol()) {
                case PacketHeader.TCP -> "tcp " + port(header);
                case PacketHeader.UDP -> "udp " + port(header);
                case ICMP -> "icmp " + target + " type " + type(header);
                case ICMP_OF_IPV6 -> "icmpv6 " + target + " type " + type(header);
                default -> "protocol " + header.protocol() + " " + target;
            };
        } catch (IndexOutOfBoundsException e) {
            return "a packet that is cut short";
        }
    }

    private String port(PacketHeader header) {
        return PacketHeader.withPort(header.target(), PacketHeader.port(packet, header.end() + Short.BYTES));
    }

    private int type(PacketHeader header) {
        return packet.get(header.end()) & 0xff;
    }
}
