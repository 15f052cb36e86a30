package dev.sallyport.core.dns;

import static dev.sallyport.core.dns.Protocol.HEADER;
import static dev.sallyport.core.dns.Protocol.u16;
import static dev.sallyport.core.dns.Protocol.u8;

import org.jspecify.annotations.Nullable;

/**
 * An upstream's answer to one question of ours: header, question, answers, authorities. What follows is left out: it is
 * optional, and its OPT record was meant for us.
 */
final class UpstreamMessage {

    private static final int RECORD_HEAD = 10;

    private final byte[] bytes;
    private final int end;

    private UpstreamMessage(byte[] bytes, int end) {
        this.bytes = bytes;
        this.end = end;
    }

    /**
     * Whether this is an answer to what was asked, and not one to another question or made up by somebody who knows
     * neither identifier nor name. The case of names does not count (RFC 4343).
     */
    static boolean answers(byte[] message, byte[] asked) {
        int questionEnd = UpstreamQuestion.questionEnd(asked);
        if (message.length < questionEnd
                || u16(message, 0) != u16(asked, 0)
                || (u16(message, 2) & (Protocol.QR | Protocol.OPCODE)) != Protocol.QR
                || u16(message, 4) != 1) {
            return false;
        }
        for (int i = HEADER; i < questionEnd; i++) {
            if (Protocol.lower(message[i]) != Protocol.lower(asked[i])) {
                return false;
            }
        }
        return true;
    }

    static boolean truncated(byte[] message) {
        return (u16(message, 2) & Protocol.TC) != 0;
    }

    static int rcode(byte[] message) {
        return u16(message, 2) & 0xF;
    }

    /** Walks over the records of an answer; null when it is malformed or says more in its OPT than its header can. */
    static @Nullable UpstreamMessage read(byte[] message, int questionEnd) {
        int records = u16(message, 6) + u16(message, 8);
        int at = questionEnd;
        for (int i = 0; i < records; i++) {
            at = skipRecord(message, at);
            if (at < 0) {
                return null;
            }
        }
        int end = at;
        for (int i = 0; i < u16(message, 10); i++) {
            int head = Protocol.skipName(message, at, message.length);
            at = skipRecord(message, at);
            if (at < 0 || (u16(message, head) == Protocol.OPT && u8(message, head + 4) != 0)) {
                return null;
            }
        }
        return new UpstreamMessage(message, end);
    }

    private static int skipRecord(byte[] message, int from) {
        int head = Protocol.skipName(message, from, message.length);
        if (head < 0 || head + RECORD_HEAD > message.length) {
            return -1;
        }
        int next = head + RECORD_HEAD + u16(message, head + 8);
        return next <= message.length ? next : -1;
    }

    /** What the upstream says of its answer: authoritative, authenticated, cut short, recursion available. */
    int flags() {
        return u16(bytes, 2) & (Protocol.AA | Protocol.TC | Protocol.RA | Protocol.AD);
    }

    int rcode() {
        return rcode(bytes);
    }

    /** Appends the records as they are: the reply begins with the same question, so compressed names stay right. */
    void appendTo(Reply reply, int questionEnd) {
        reply.append(bytes, questionEnd, end - questionEnd);
        reply.counted(u16(bytes, 6), u16(bytes, 8));
    }

    /**
     * Appends the records to a reply that begins in another way, with their names written out. False when a name in them is
     * malformed.
     */
    boolean appendExpandedTo(Reply reply, int questionEnd) {
        int at = questionEnd;
        int records = u16(bytes, 6) + u16(bytes, 8);
        for (int i = 0; i < records; i++) {
            int head = Protocol.skipName(bytes, at, end);
            int data = head + RECORD_HEAD;
            int dataEnd = data + u16(bytes, head + 8);
            if (!expand(at, reply)) {
                return false;
            }
            reply.append(bytes, head, RECORD_HEAD);
            int begin = reply.position();
            if (!appendData(reply, u16(bytes, head), data, dataEnd)) {
                return false;
            }
            reply.set16(begin - 2, reply.position() - begin);
            at = dataEnd;
        }
        reply.counted(u16(bytes, 6), u16(bytes, 8));
        return true;
    }

    /** Types whose data may hold compressed names (RFC 3597, 4); all others are copied. */
    private boolean appendData(Reply reply, int type, int from, int to) {
        int before;
        int names;
        switch (type) {
            case 2, Protocol.CNAME, 12, 39 -> { // NS, CNAME, PTR, DNAME
                before = 0;
                names = 1;
            }
            case Protocol.SOA, 14, 17 -> { // SOA, MINFO, RP
                before = 0;
                names = 2;
            }
            case 15, 18, 21, 36 -> { // MX, AFSDB, RT, KX
                before = 2;
                names = 1;
            }
            case 33 -> { // SRV
                before = 6;
                names = 1;
            }
            default -> {
                before = 0;
                names = 0;
            }
        }
        if (from + before > to) {
            return false;
        }
        reply.append(bytes, from, before);
        int at = from + before;
        for (int i = 0; i < names; i++) {
            int next = Protocol.skipName(bytes, at, to);
            if (next < 0 || !expand(at, reply)) {
                return false;
            }
            at = next;
        }
        reply.append(bytes, at, to - at);
        return true;
    }

    /** Writes a name without pointers. Each pointer must lead further back than the one before. */
    private boolean expand(int from, Reply reply) {
        int at = from;
        int limit = from;
        int written = 0;
        while (true) {
            if (at >= end) {
                return false;
            }
            int length = u8(bytes, at);
            if (Protocol.isPointer(length)) {
                if (at + 2 > end) {
                    return false;
                }
                at = u16(bytes, at) & 0x3FFF;
                if (at >= limit || at < HEADER) {
                    return false;
                }
                limit = at;
                continue;
            }
            written += 1 + length;
            if (length > 63 || written > Protocol.MAX_NAME || at + 1 + length > end) {
                return false;
            }
            reply.append(bytes, at, 1 + length);
            if (length == 0) {
                return true;
            }
            at += 1 + length;
        }
    }
}
