package dev.sallyport.server.run.linux;

import dev.sallyport.linux.SystemCalls;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A classic BPF program that lets through the packets by which the kernel refuses a connection or a datagram: a reset that
 * answers a SYN (sequence number 0, as RFC 9293, 3.10.7.1 has it), and "port unreachable" of ICMP and ICMPv6. A program's
 * own servers are not refused, so that nothing has to be known of them.
 */
final class RefusalFilter {

    static final int INSTRUCTION_BYTES = 8;

    private static final int LOAD_WORD = 0x20;
    private static final int LOAD_BYTE = 0x30;
    private static final int LOAD_WORD_AT_X = 0x40;
    private static final int LOAD_BYTE_AT_X = 0x50;
    private static final int LOAD_HEADER_LENGTH = 0xb1;
    private static final int LOAD_X = 0x01;
    private static final int AND = 0x54;
    private static final int IF_EQUAL = 0x15;
    private static final int RETURN = 0x06;

    private static final int PACKET_TYPE = 0xfffff004; // SKF_AD_OFF + SKF_AD_PKTTYPE
    private static final int OUTGOING = 4;
    private static final int TCP = 6;
    private static final int IPV6_HEADER = 40;
    private static final int RESET_WITH_ACK = 0x14;
    private static final int SNAP = 128;

    private final List<int[]> code = new ArrayList<>();

    private RefusalFilter() {}

    static ByteBuffer program() {
        RefusalFilter filter = new RefusalFilter();
        // Each packet of lo is seen twice, on its way out and on its way in.
        filter.add(LOAD_WORD, PACKET_TYPE).drop(OUTGOING);
        filter.add(LOAD_BYTE, 0).add(AND, 0xf0);
        filter.family(0x40, ipv4()).family(0x60, ipv6()).add(RETURN, 0);
        ByteBuffer program = SystemCalls.memory(filter.code.size() * INSTRUCTION_BYTES);
        for (int[] instruction : filter.code) {
            program.putShort((short) instruction[0])
                    .put((byte) instruction[1])
                    .put((byte) instruction[2])
                    .putInt(instruction[3]);
        }
        return program;
    }

    private static RefusalFilter ipv4() {
        RefusalFilter filter = new RefusalFilter();
        filter.add(LOAD_HEADER_LENGTH, 0).add(LOAD_BYTE, 9);
        return filter.transport(1, 3, 3);
    }

    private static RefusalFilter ipv6() {
        RefusalFilter filter = new RefusalFilter();
        filter.add(LOAD_X, IPV6_HEADER).add(LOAD_BYTE, 6);
        return filter.transport(58, 1, 4);
    }

    /** Expects the protocol loaded and the length of the header in X. */
    private RefusalFilter transport(int icmp, int type, int unreachable) {
        RefusalFilter tcp = new RefusalFilter();
        tcp.add(LOAD_BYTE_AT_X, 13).add(AND, RESET_WITH_ACK).keep(RESET_WITH_ACK);
        tcp.add(LOAD_WORD_AT_X, 4).keep(0).add(RETURN, SNAP);
        RefusalFilter control = new RefusalFilter();
        control.add(LOAD_BYTE_AT_X, 0).keep(type);
        control.add(LOAD_BYTE_AT_X, 1).keep(unreachable).add(RETURN, SNAP);
        return family(TCP, tcp).family(icmp, control).add(RETURN, 0);
    }

    private RefusalFilter add(int operation, int operand) {
        code.add(new int[] {operation, 0, 0, operand});
        return this;
    }

    /** Drops the packet when this is loaded. */
    private void drop(int value) {
        code.add(new int[] {IF_EQUAL, 0, 1, value});
        add(RETURN, 0);
    }

    /** Drops the packet unless this is loaded. */
    private RefusalFilter keep(int value) {
        code.add(new int[] {IF_EQUAL, 1, 0, value});
        return add(RETURN, 0);
    }

    /** Goes on with a block, which returns, when this is loaded. */
    private RefusalFilter family(int value, RefusalFilter block) {
        code.add(new int[] {IF_EQUAL, 0, block.code.size(), value});
        code.addAll(block.code);
        return this;
    }
}
