package dev.sallyport.server.flood;

import dev.sallyport.testsupport.DnsClient;
import java.io.ByteArrayOutputStream;

/** Queries over TCP (RFC 1035, 4.2.2). */
final class Dns {

    private Dns() {}

    /** Many numbered queries, as they are sent over TCP. */
    static byte[] stream(int questions) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < questions; i++) {
            byte[] question = DnsClient.numbered(i);
            out.write(question.length >> 8);
            out.write(question.length);
            out.writeBytes(question);
        }
        return out.toByteArray();
    }
}
