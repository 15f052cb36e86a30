package dev.sallyport.core.dns;

import static dev.sallyport.core.dns.DnsProtocol.HEADER;

import java.nio.ByteBuffer;

/** The query to the upstream resolver: the client's question with the proxy's own identifier, without its options. */
final class UpstreamQuestion {

    /** The size that fits into a packet of any network (DNS flag day 2020). */
    static final int PAYLOAD = 1232;

    private UpstreamQuestion() {}

    /**
     * The whole message.
     *
     * @param name the name in wire form
     */
    static byte[] of(int id, Query query, byte[] name) {
        boolean edns = query.edns();
        int length = HEADER + name.length + 4 + (edns ? DnsProtocol.OPT_LENGTH : 0);
        ByteBuffer message = ByteBuffer.allocate(length);
        message.putShort((short) id);
        message.putShort((short) (query.flags() & (DnsProtocol.RD | DnsProtocol.CD)));
        message.putShort((short) 1).putShort((short) 0).putShort((short) 0).putShort((short) (edns ? 1 : 0));
        message.put(name).putShort((short) query.type()).putShort((short) DnsProtocol.IN);
        if (edns) {
            message.put((byte) 0).putShort((short) DnsProtocol.OPT).putShort((short) PAYLOAD);
            message.putShort((short) 0)
                    .putShort((short) (query.dnssecOk() ? 0x8000 : 0))
                    .putShort((short) 0);
        }
        return message.array();
    }

    /** The same question under another identifier, for another attempt. */
    static byte[] withId(byte[] message, int id) {
        byte[] again = message.clone();
        again[0] = (byte) (id >> 8);
        again[1] = (byte) id;
        return again;
    }

    /** The end of the question in such a message. */
    static int questionEnd(byte[] message) {
        return DnsProtocol.skipName(message, HEADER, message.length) + 4;
    }
}
