package dev.sallyport.toolkit.redact;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The newest bytes of a stream in one array, and marks where escapes may begin. Reading a copy byte by byte is far cheaper than
 * reading the pieces. Borrowed from the thread within one call.
 */
final class EscapeText {

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final int KEPT_LENGTH = 64 * 1024;

    /** One that nobody uses: to make and clear new arrays for each piece would take as long as the marks do. */
    private static final ThreadLocal<@Nullable EscapeText> FREE = new ThreadLocal<>();

    private byte[] bytes = {};
    private int length;
    private byte[] marks = {};
    private int marked;
    private int seen;

    private EscapeText() {}

    /** One of this thread, for the time of one call; to be given back. */
    static EscapeText take() {
        EscapeText free = FREE.get();
        FREE.set(null);
        return free == null ? new EscapeText() : free;
    }

    /** Gives it back. */
    void give() {
        if (bytes.length <= KEPT_LENGTH) {
            FREE.set(this);
        }
    }

    /** Room for so many bytes, to be filled before {@link #mark}. The array may be longer. */
    byte[] make(int size) {
        if (bytes.length < size) {
            bytes = new byte[size];
        }
        length = size;
        return bytes;
    }

    /** Marks where escapes may begin before an index; behind it none does. */
    void mark(EscapeTable table, int to) {
        if (marks.length < to + Long.BYTES) {
            marks = new byte[to + Long.BYTES];
        }
        marked = to;
        seen = to == 0 ? 0 : table.mark(bytes, to, length, marks);
        LONGS.set(marks, to, 0L);
    }

    /** The bytes, from the index 0 on. */
    byte[] bytes() {
        return bytes;
    }

    /** How many bytes there are. */
    int length() {
        return length;
    }

    /** Whether an escape of one of these notations may begin here. */
    boolean isMarked(int at, int notations) {
        return at < marked && (marks[at] & notations) != 0;
    }

    /** The first index from this one on at which an escape of one of these notations may begin; {@link #length} for none. */
    int find(int notations, int from) {
        if ((seen & notations) != 0) {
            long wanted = notations * ONES;
            for (int at = from; at < marked; at += Long.BYTES) {
                long marked = (long) LONGS.get(marks, at) & wanted;
                if (marked != 0) {
                    return at + (Long.numberOfTrailingZeros(marked) >>> 3);
                }
            }
        }
        return length;
    }
}
