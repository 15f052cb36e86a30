package dev.sallyport.core.dns;

import static dev.sallyport.core.dns.DnsProtocol.HEADER;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** An answer under construction: the query's header and question, records, OPT. Reused; confined to the loop. */
final class DnsReply {

    /** The TTL of the proxy's own answers (docs/spec/decisions.md, section 11). */
    static final int TTL = 60;

    /** The offset of the question's name, which is also the first record's. */
    static final int QUESTION = HEADER;

    private static final int MAX_POINTER = 0x3FFF;

    private static final byte[] SOA_DATA = soa();

    private final byte[] bytes = new byte[DnsProtocol.MAX_MESSAGE];
    private int at;
    private int answers;
    private int authorities;
    private boolean overflow;

    /** Begins with header and question of a query, whose id, case and RD stay (RFC 1035, 4.1.1). */
    DnsReply begin(Query query, int flags, int rcode) {
        at = query.questionEnd();
        answers = 0;
        authorities = 0;
        overflow = false;
        System.arraycopy(query.bytes(), 0, bytes, 0, at);
        int kept = query.flags() & (DnsProtocol.OPCODE | DnsProtocol.RD | DnsProtocol.CD);
        put16(2, DnsProtocol.QR | kept | flags | (rcode & 0xF));
        put16(4, query.hasQuestion() ? 1 : 0);
        put16(6, 0);
        put16(8, 0);
        put16(10, 0);
        return this;
    }

    /** Adds an address record of the name at an offset. */
    void address(int owner, byte[] address) {
        record(owner, address.length == 4 ? DnsProtocol.A : DnsProtocol.AAAA, address.length);
        append(address, 0, address.length);
        answers++;
    }

    /** Adds an alias of the name at an offset; returns the offset of its target. */
    int alias(int owner, byte[] target) {
        record(owner, DnsProtocol.CNAME, target.length);
        int offset = at;
        append(target, 0, target.length);
        answers++;
        return offset;
    }

    /** Adds a pointer from the name at an offset. */
    void pointer(int owner, byte[] target) {
        record(owner, DnsProtocol.PTR, target.length);
        append(target, 0, target.length);
        answers++;
    }

    /** The name at an offset does not exist: sets the code of that, and adds the SOA record. */
    void noName(int owner) {
        bytes[3] = (byte) ((bytes[3] & 0xF0) | DnsProtocol.NXDOMAIN);
        noData(owner);
    }

    /** Adds the SOA record that limits how long a negative answer may be cached (RFC 2308, 3). */
    void noData(int owner) {
        record(owner, DnsProtocol.SOA, SOA_DATA.length);
        append(SOA_DATA, 0, SOA_DATA.length);
        authorities++;
    }

    /** Counts records that were appended byte by byte. */
    void counted(int moreAnswers, int moreAuthorities) {
        answers += moreAnswers;
        authorities += moreAuthorities;
    }

    void append(byte[] from, int offset, int count) {
        if (fits(count)) {
            System.arraycopy(from, offset, bytes, at, count);
            at += count;
        }
    }

    void append16(int value) {
        if (fits(2)) {
            put16(at, value);
            at += 2;
        }
    }

    /** The length so far. */
    int position() {
        return at;
    }

    /** Writes a number where room was left for it. */
    void set16(int offset, int value) {
        if (!overflow) {
            put16(offset, value);
        }
    }

    /** The bytes written so far. */
    byte[] bytes() {
        return bytes;
    }

    /** Ends the reply within a limit: sections that do not fit are left out, and TC is set (RFC 2181, 9). */
    void end(Query query, int rcode, int payload, int limit) {
        int room = limit - (query.edns() ? DnsProtocol.OPT_LENGTH : 0);
        if (overflow || at > room) {
            at = query.questionEnd();
            answers = 0;
            authorities = 0;
            overflow = false;
            put16(2, DnsProtocol.u16(bytes, 2) | DnsProtocol.TC);
        }
        put16(6, answers);
        put16(8, authorities);
        if (query.edns()) {
            put16(10, 1);
            opt(query, rcode, payload);
        }
    }

    boolean truncated() {
        return (DnsProtocol.u16(bytes, 2) & DnsProtocol.TC) != 0;
    }

    int rcode() {
        return DnsProtocol.u16(bytes, 2) & 0xF;
    }

    void writeTo(ByteBuf buffer) {
        buffer.writeBytes(bytes, 0, at);
    }

    /** Its owner is the root; the version is 0; DO is copied (RFC 3225, 3). */
    private void opt(Query query, int rcode, int payload) {
        bytes[at] = 0;
        put16(at + 1, DnsProtocol.OPT);
        put16(at + 3, payload);
        put16(at + 5, rcode >> 4 << 8);
        put16(at + 7, query.dnssecOk() ? 0x8000 : 0);
        put16(at + 9, 0);
        at += DnsProtocol.OPT_LENGTH;
    }

    private void record(int owner, int type, int dataLength) {
        append16(0xC000 | Math.min(owner, MAX_POINTER));
        append16(type);
        append16(DnsProtocol.IN);
        append16(0);
        append16(TTL);
        append16(dataLength);
    }

    private boolean fits(int count) {
        overflow |= at + count > bytes.length - DnsProtocol.OPT_LENGTH;
        return !overflow;
    }

    private void put16(int offset, int value) {
        bytes[offset] = (byte) (value >> 8);
        bytes[offset + 1] = (byte) value;
    }

    /** Primary server, mailbox, serial, refresh, retry, expire, and the TTL of negative answers. */
    private static byte[] soa() {
        byte[] server = Zone.wire("ns.sallyport.internal");
        byte[] mailbox = Zone.wire("hostmaster.sallyport.internal");
        ByteBuffer data = ByteBuffer.allocate(server.length + mailbox.length + 20);
        data.put(server).put(mailbox);
        data.putInt(1).putInt(3600).putInt(600).putInt(86400).putInt(TTL);
        return data.array();
    }
}
