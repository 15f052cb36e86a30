package dev.sallyport.server.flood;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Questions for addresses (RFC 1035). */
final class Dns {

    private Dns() {}

    /** For the address of a name that nobody has asked for yet. */
    static byte[] question(int number) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {(byte) (number >> 8), (byte) number, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0});
        for (String label : new String[] {"n" + number, "example"}) {
            out.write(label.length());
            out.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        out.writeBytes(new byte[] {0, 0, 1, 0, 1});
        return out.toByteArray();
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
