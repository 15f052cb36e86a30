package dev.sallyport.core.dns;

import static dev.sallyport.core.dns.DnsProtocol.HEADER;
import static dev.sallyport.core.dns.DnsProtocol.MAX_NAME;
import static dev.sallyport.core.dns.DnsProtocol.u16;
import static dev.sallyport.core.dns.DnsProtocol.u8;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One query, read strictly and once. Reused for query after query; confined to the loop. */
final class Query {

    /** The verdict on a message. */
    enum Reading {
        /** A valid question. */
        QUESTION,
        /** Not a query, such as an answer: gets no reply. */
        NOTHING,
        /** Answered with FORMERR. */
        MALFORMED,
        /** Answered with NOTIMP. */
        OTHER_OPCODE,
        /** Answered with REFUSED. */
        OTHER_CLASS,
        /** Answered with BADVERS. */
        OTHER_EDNS
    }

    private static final int MAX_ADDITIONAL = 4;
    private static final int RECORD_HEAD = 10;
    private static final int DO = 0x8000;

    private final byte[] bytes;
    private int length;
    private int nameEnd;
    private boolean question;
    private boolean edns;
    private int version;
    private int payload;
    private boolean dnssecOk;

    /** For queries up to this length. */
    Query(int capacity) {
        bytes = new byte[Math.max(capacity, HEADER)];
    }

    /** A copy, to be kept until the upstream has answered. */
    Query copy() {
        Query copy = new Query(questionEnd());
        System.arraycopy(bytes, 0, copy.bytes, 0, questionEnd());
        copy.length = questionEnd();
        copy.nameEnd = nameEnd;
        copy.question = question;
        copy.edns = edns;
        copy.version = version;
        copy.payload = payload;
        copy.dnssecOk = dnssecOk;
        return copy;
    }

    /** Reads the whole buffer. */
    Reading read(ByteBuf message) {
        int size = message.readableBytes();
        length = Math.min(size, bytes.length);
        question = false;
        edns = false;
        version = 0;
        payload = 0;
        dnssecOk = false;
        nameEnd = HEADER;
        message.readBytes(bytes, 0, length);
        if (length < HEADER || (flags() & DnsProtocol.QR) != 0) {
            return Reading.NOTHING;
        }
        if ((flags() & DnsProtocol.OPCODE) != 0) {
            return Reading.OTHER_OPCODE;
        }
        if (size > length || u16(bytes, 4) != 1 || u16(bytes, 6) != 0 || u16(bytes, 8) != 0) {
            return Reading.MALFORMED;
        }
        return readQuestion() && readAdditional(u16(bytes, 10)) ? judge() : Reading.MALFORMED;
    }

    private Reading judge() {
        if (version != 0) {
            return Reading.OTHER_EDNS;
        }
        return u16(bytes, nameEnd + 2) == DnsProtocol.IN ? Reading.QUESTION : Reading.OTHER_CLASS;
    }

    /** Nothing precedes the first name, so it cannot be compressed. */
    private boolean readQuestion() {
        int at = HEADER;
        while (at < length && u8(bytes, at) != 0) {
            if (u8(bytes, at) > 63) {
                return false;
            }
            at += 1 + u8(bytes, at);
        }
        nameEnd = at + 1;
        question = nameEnd - HEADER <= MAX_NAME && nameEnd + 4 <= length;
        return question;
    }

    private boolean readAdditional(int count) {
        int at = nameEnd + 4;
        for (int i = 0; i < count && i <= MAX_ADDITIONAL; i++) {
            int owner = at;
            at = DnsProtocol.skipName(bytes, at, length);
            if (at < 0 || at + RECORD_HEAD > length || at + RECORD_HEAD + u16(bytes, at + 8) > length) {
                return false;
            }
            if (u16(bytes, at) == DnsProtocol.OPT && !readOpt(owner, at)) {
                return false;
            }
            at += RECORD_HEAD + u16(bytes, at + 8);
        }
        return count <= MAX_ADDITIONAL && at == length;
    }

    /** There is at most one, and the root owns it (RFC 6891, 6.1.1). */
    private boolean readOpt(int owner, int at) {
        if (edns || at != owner + 1) {
            return false;
        }
        edns = true;
        payload = u16(bytes, at + 2);
        version = u8(bytes, at + 5);
        dnssecOk = (u16(bytes, at + 6) & DO) != 0;
        int option = at + RECORD_HEAD;
        int end = option + u16(bytes, at + 8);
        while (option + 4 <= end) {
            option += 4 + u16(bytes, option + 2);
        }
        return option == end;
    }

    /** The longest query that it can read. */
    int capacity() {
        return bytes.length;
    }

    /** The name in wire form. */
    byte[] nameBytes() {
        return Arrays.copyOfRange(bytes, HEADER, nameEnd);
    }

    byte[] bytes() {
        return bytes;
    }

    int id() {
        return u16(bytes, 0);
    }

    int flags() {
        return u16(bytes, 2);
    }

    /** Whether there is a question to repeat in the answer. */
    boolean hasQuestion() {
        return question;
    }

    int type() {
        return u16(bytes, nameEnd);
    }

    /** The end of the question; for a query without one, the end of the header. */
    int questionEnd() {
        return question ? nameEnd + 4 : HEADER;
    }

    boolean edns() {
        return edns;
    }

    boolean dnssecOk() {
        return dnssecOk;
    }

    /** Longest answer that the client accepts over UDP. */
    int payload() {
        return edns ? Math.max(payload, DnsProtocol.PLAIN_UDP) : DnsProtocol.PLAIN_UDP;
    }

    /**
     * The name in lower case with dots between its labels, without one at the end; the root is empty. A dot within a
     * label becomes a control character, so that it cannot be mistaken for a separator.
     */
    String name() {
        int end = nameEnd - 1;
        if (end <= HEADER) {
            return "";
        }
        byte[] text = new byte[end - HEADER - 1];
        int next = HEADER + 1 + u8(bytes, HEADER);
        for (int at = HEADER + 1; at < end; at++) {
            byte octet = bytes[at];
            if (at == next) {
                next = at + 1 + u8(bytes, at);
                octet = '.';
            } else if (octet == '.') {
                octet = 1;
            }
            text[at - HEADER - 1] = DnsProtocol.lower(octet);
        }
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** The name for logs, with a question mark for everything except visible ASCII. */
    String shownName() {
        StringBuilder shown = new StringBuilder(question ? name() : "(none)");
        for (int i = 0; i < shown.length(); i++) {
            char c = shown.charAt(i);
            if (c <= ' ' || c >= 0x7F) {
                shown.setCharAt(i, '?');
            }
        }
        return shown.toString();
    }
}
