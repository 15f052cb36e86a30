package dev.sallyport.toolkit.template;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes of the template itself; never changed. */
final class Bytes {

    static final Bytes NONE = new Bytes(new byte[0]);

    private final byte[] bytes;

    private Bytes(byte[] bytes) {
        this.bytes = bytes;
    }

    static Bytes of(byte[] bytes) {
        return new Bytes(bytes);
    }

    static Bytes of(String text) {
        return new Bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    static Bytes copyOf(byte[] bytes, int from, int to) {
        return new Bytes(Arrays.copyOfRange(bytes, from, to));
    }

    /** The bytes themselves, to be read only. */
    byte[] array() {
        return bytes;
    }
}
