package dev.sallyport.core.websocket;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A growing array of bytes. */
final class ByteAccumulator {

    private static final int LEAST = 512;

    private byte[] array = new byte[LEAST];
    private int size;

    byte[] array() {
        return array;
    }

    int size() {
        return size;
    }

    /** Makes room for at least this many more bytes; returns how many fit. */
    int room(int more) {
        if (array.length - size < more) {
            array = Arrays.copyOf(
                    array, Math.max(Math.addExact(size, more), (int) Math.min(array.length * 2L, 1 << 30)));
        }
        return array.length - size;
    }

    /** This many bytes have been written behind the last one. */
    void grown(int by) {
        size += by;
    }

    void add(ByteBuffer bytes) {
        int length = bytes.remaining();
        room(length);
        bytes.get(array, size, length);
        size += length;
    }

    void add(byte[] from, int index, int length) {
        room(length);
        System.arraycopy(from, index, array, size, length);
        size += length;
    }

    /** Removes bytes from the end. */
    void cut(int bytes) {
        size -= bytes;
    }

    /** Clears the content, and releases the memory of an unusually long message. */
    void clear() {
        size = 0;
        if (array.length > 64 * 1024) {
            array = new byte[LEAST];
        }
    }
}
