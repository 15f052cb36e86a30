package dev.sallyport.core.dns;

import static dev.sallyport.core.dns.DnsProtocol.HEADER;
import static dev.sallyport.core.dns.DnsProtocol.u16;
import static dev.sallyport.core.dns.DnsProtocol.u8;

import org.jspecify.annotations.Nullable;

/**
 * An upstream's answer to one of the proxy's questions: header, question, answers, authorities. The additional section
 * is left out: it is optional, and its OPT record is for the proxy.
 */
final class UpstreamMessage {

    private static final int RECORD_HEAD = 10;

    /** From here to ANY, types are for questions and transactions (RFC 6895, 3.1): no record has them. */
    private static final int FIRST_QUESTION = 249;

    private final byte[] bytes;
    private final int end;

    private UpstreamMessage(byte[] bytes, int end) {
        this.bytes = bytes;
        this.end = end;
    }

    /**
     * Whether this answers the question that was asked. Otherwise it belongs to another question or was forged without
     * knowing identifier and name. The case of names does not matter (RFC 4343).
     */
    static boolean answers(byte[] message, byte[] asked) {
        int questionEnd = UpstreamQuestion.questionEnd(asked);
        if (message.length < questionEnd
                || u16(message, 0) != u16(asked, 0)
                || (u16(message, 2) & (DnsProtocol.QR | DnsProtocol.OPCODE)) != DnsProtocol.QR
                || u16(message, 4) != 1) {
            return false;
        }
        for (int i = HEADER; i < questionEnd; i++) {
            if (DnsProtocol.lower(message[i]) != DnsProtocol.lower(asked[i])) {
                return false;
            }
        }
        return true;
    }

    static boolean truncated(byte[] message) {
        return (u16(message, 2) & DnsProtocol.TC) != 0;
    }

    static int rcode(byte[] message) {
        return u16(message, 2) & 0xF;
    }

    /**
     * Reads a whole answer; null when anything in any section is malformed, because clients must not get it. Also null
     * when its OPT has an extended code that the header cannot express.
     */
    static @Nullable UpstreamMessage read(byte[] message, int questionEnd) {
        int at = questionEnd;
        for (int i = u16(message, 6) + u16(message, 8); i > 0; i--) {
            at = checkRecord(message, at);
            if (at < 0) {
                return null;
            }
        }
        int end = at;
        boolean options = false;
        for (int i = u16(message, 10); i > 0; i--) {
            int head = DnsProtocol.nameEnd(message, at, message.length);
            if (head > 0 && head + RECORD_HEAD <= message.length && u16(message, head) == DnsProtocol.OPT) {
                at = options ? -1 : checkOptions(message, at);
                options = true;
            } else {
                at = checkRecord(message, at);
            }
            if (at < 0) {
                return null;
            }
        }
        return at == message.length ? new UpstreamMessage(message, end) : null;
    }

    /** The end of the record that begins here, or -1. */
    private static int checkRecord(byte[] message, int from) {
        int head = DnsProtocol.nameEnd(message, from, message.length);
        if (head < 0 || head + RECORD_HEAD > message.length) {
            return -1;
        }
        int type = u16(message, head);
        int data = head + RECORD_HEAD;
        int next = data + u16(message, head + 8);
        if (next > message.length || type == DnsProtocol.OPT || (type >= FIRST_QUESTION && type <= DnsProtocol.ANY)) {
            return -1;
        }
        if (u16(message, head + 2) != DnsProtocol.IN) {
            return -1;
        }
        return checkData(message, RecordData.of(type), data, next) ? next : -1;
    }

    private static boolean checkData(byte[] message, RecordData form, int from, int to) {
        int at = form.namesAt(message, from, to);
        for (int i = 0; i < form.names() && at >= 0; i++) {
            at = DnsProtocol.nameEnd(message, at, to);
        }
        return at >= 0 && form.endsWith(to - at);
    }

    /** The root owns it, its extended code is 0, and its options fill it. */
    private static int checkOptions(byte[] message, int from) {
        int head = from + 1;
        if (u8(message, from) != 0 || u8(message, head + 4) != 0) {
            return -1;
        }
        int option = head + RECORD_HEAD;
        int next = option + u16(message, head + 8);
        if (next > message.length) {
            return -1;
        }
        while (option + 4 <= next) {
            option += 4 + u16(message, option + 2);
        }
        return option == next ? next : -1;
    }

    /** The upstream's flags: authoritative, authenticated, truncated, recursion available. */
    int flags() {
        return u16(bytes, 2) & (DnsProtocol.AA | DnsProtocol.TC | DnsProtocol.RA | DnsProtocol.AD);
    }

    int rcode() {
        return rcode(bytes);
    }

    /** Appends the records unchanged: the reply begins with the same question, so compressed names stay valid. */
    void appendTo(DnsReply reply, int questionEnd) {
        reply.append(bytes, questionEnd, end - questionEnd);
        reply.counted(u16(bytes, 6), u16(bytes, 8));
    }

    /** Appends the records to a reply that begins differently, with uncompressed names. */
    void appendExpandedTo(DnsReply reply, int questionEnd) {
        int at = questionEnd;
        for (int i = u16(bytes, 6) + u16(bytes, 8); i > 0; i--) {
            int head = DnsProtocol.skipName(bytes, at, end);
            int data = head + RECORD_HEAD;
            int dataEnd = data + u16(bytes, head + 8);
            expand(at, reply);
            reply.append(bytes, head, RECORD_HEAD);
            int begin = reply.position();
            appendData(reply, RecordData.of(u16(bytes, head)), data, dataEnd);
            reply.set16(begin - 2, reply.position() - begin);
            at = dataEnd;
        }
        reply.counted(u16(bytes, 6), u16(bytes, 8));
    }

    private void appendData(DnsReply reply, RecordData form, int from, int to) {
        int at = form.namesAt(bytes, from, to);
        reply.append(bytes, from, at - from);
        for (int i = 0; i < form.names(); i++) {
            expand(at, reply);
            at = DnsProtocol.skipName(bytes, at, to);
        }
        reply.append(bytes, at, to - at);
    }

    /** Writes a name without pointers; it has been checked. */
    private void expand(int from, DnsReply reply) {
        int at = from;
        while (true) {
            int length = u8(bytes, at);
            if (DnsProtocol.isPointer(length)) {
                at = DnsProtocol.target(bytes, at);
                continue;
            }
            reply.append(bytes, at, 1 + length);
            if (length == 0) {
                return;
            }
            at += 1 + length;
        }
    }
}
