package dev.sallyport.core.http1;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.Arrays;

/**
 * A head of HTTP/1.1 on its way out. Lines gather in one array of their thread's and are copied into a buffer at once:
 * each single write into a direct buffer costs more than the text it writes.
 *
 * <p>Text must be ISO 8859-1 without line breaks, which callers check: of wider characters only the low byte would leave.
 */
public final class HeadBuffer {

    private static final int INITIAL = 1024;

    /** An array that one large head has blown up is given back. */
    private static final int KEPT = 64 * 1024;

    private static final FastThreadLocal<HeadBuffer> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected HeadBuffer initialValue() {
            return new HeadBuffer();
        }
    };

    private byte[] bytes = new byte[INITIAL];
    private int size;

    private HeadBuffer() {}

    /** Begins a head, the only one of this thread until {@link #toBuffer} ends it. */
    public static HeadBuffer begin() {
        HeadBuffer head = OF_THREAD.get();
        head.size = 0;
        return head;
    }

    /** Appends text. */
    @SuppressWarnings("deprecation") // it drops high bytes, of which there are none, and is a plain copy therefore
    public HeadBuffer text(String latin1) {
        int length = latin1.length();
        reserve(length);
        latin1.getBytes(0, length, bytes, size);
        size += length;
        return this;
    }

    /** Appends bytes as they are. */
    public HeadBuffer raw(byte[] ascii) {
        reserve(ascii.length);
        System.arraycopy(ascii, 0, bytes, size, ascii.length);
        size += ascii.length;
        return this;
    }

    /** Appends one character. */
    public HeadBuffer raw(char ascii) {
        reserve(1);
        bytes[size++] = (byte) ascii;
        return this;
    }

    /** Appends a field line (RFC 9112, 5). */
    public HeadBuffer field(String name, String value) {
        return text(name).raw(':').raw(' ').text(value).endOfLine();
    }

    /** Appends all lines of a block, as they are. */
    public HeadBuffer fields(HeaderBlock block) {
        for (int i = 0; i < block.size(); i++) {
            field(block.name(i), block.value(i));
        }
        return this;
    }

    /** Appends CR LF. */
    public HeadBuffer endOfLine() {
        return raw('\r').raw('\n');
    }

    /** What has been gathered; the caller owns it. Ends this head. */
    public ByteBuf toBuffer(ByteBufAllocator allocator) {
        ByteBuf out = allocator.buffer(size).writeBytes(bytes, 0, size);
        if (bytes.length > KEPT) {
            bytes = new byte[INITIAL];
        }
        return out;
    }

    private void reserve(int more) {
        int needed = Math.addExact(size, more);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(bytes.length * 2L, Integer.MAX_VALUE - 8)));
        }
    }
}
