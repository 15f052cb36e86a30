package dev.sallyport.core.dns;

/**
 * The structure of a record's data: octets, character strings, names and the rest, in this order. Known for the types
 * whose data may contain names, compressed or not (RFC 3597, 4), or has a fixed structure; other types have arbitrary
 * octets.
 *
 * @param before octets before the first string or name
 * @param strings character strings, or {@link #ALL} for as many as there are, at least one
 * @param names names after them
 * @param after octets after the last name, or {@link #ANY}
 */
record RecordData(int before, int strings, int names, int after) {

    static final int ANY = -1;
    static final int ALL = -1;

    private static final RecordData OPAQUE = new RecordData(0, 0, 0, ANY);
    private static final RecordData NAME = new RecordData(0, 0, 1, 0);
    private static final RecordData TWO_NAMES = new RecordData(0, 0, 2, 0);
    private static final RecordData PREFERENCE = new RecordData(2, 0, 1, 0);
    private static final RecordData SIGNATURE = new RecordData(18, 0, 1, ANY);
    private static final RecordData NEXT = new RecordData(0, 0, 1, ANY);
    private static final RecordData SERVICE = new RecordData(2, 0, 1, ANY);
    private static final RecordData START = new RecordData(0, 0, 2, 20);
    private static final RecordData MAPPED = new RecordData(2, 0, 2, 0);
    private static final RecordData LOCATED = new RecordData(6, 0, 1, 0);
    private static final RecordData POINTED = new RecordData(4, 3, 1, 0);
    private static final RecordData TEXT = new RecordData(0, ALL, 0, 0);
    private static final RecordData HOST = new RecordData(0, 2, 0, 0);
    private static final RecordData V4 = new RecordData(4, 0, 0, 0);
    private static final RecordData V6 = new RecordData(16, 0, 0, 0);

    static RecordData of(int type) {
        return switch (type) {
            case DnsProtocol.A -> V4;
            case DnsProtocol.AAAA -> V6;
            case 2, 3, 4, DnsProtocol.CNAME, 7, 8, 9, 12, 39 -> NAME; // NS, MD, MF, CNAME, MB, MG, MR, PTR, DNAME
            case DnsProtocol.SOA -> START;
            case 14, 17 -> TWO_NAMES; // MINFO, RP
            case 15, 18, 21, 36 -> PREFERENCE; // MX, AFSDB, RT, KX
            case 13 -> HOST; // HINFO
            case 16, 99 -> TEXT; // TXT, SPF
            case 24, 46 -> SIGNATURE; // SIG, RRSIG
            case 26 -> MAPPED; // PX
            case 30, 47 -> NEXT; // NXT, NSEC
            case 33 -> LOCATED; // SRV
            case 35 -> POINTED; // NAPTR
            case 64, 65 -> SERVICE; // SVCB, HTTPS
            default -> OPAQUE;
        };
    }

    /** The start of the first name, or of the rest when there is none; -1 when the data before it does not fit. */
    int namesAt(byte[] message, int from, int to) {
        int at = from + before;
        for (int i = 0; strings == ALL ? i == 0 || at < to : i < strings; i++) {
            if (at >= to) {
                return -1;
            }
            at += 1 + DnsProtocol.u8(message, at);
        }
        return at <= to ? at : -1;
    }

    /** Whether this many octets may follow the last name. */
    boolean endsWith(int octets) {
        return after == ANY || after == octets;
    }
}
