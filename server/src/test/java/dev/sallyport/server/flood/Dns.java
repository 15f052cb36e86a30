package dev.sallyport.server.flood;

import dev.sallyport.testsupport.DnsClient;
import java.io.ByteArrayOutputStream;

/** Questions for addresses (RFC 1035). */
final class Dns {

    private Dns() {}

    /** For the address of a name that nobody has asked for yet. */
    static byte[] question(int number) {
        return DnsClient.ask("n" + number + ".example", "A").id(number & 0xFFFF).bytes();
    }

    /** Many of them, as they are sent over TCP. */
    static byte[] stream(int questions) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < questions; i++) {
            byte[] question = question(i);
            out.write(question.length >> 8);
            out.write(question.length);
            out.writeBytes(question);
        }
        return out.toByteArray();
    }
}
