package dev.sallyport.core.http1;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.toolkit.headers.ReservedFields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes a head of HTTP/1.1: what heads of requests and responses, chunk headers and trailers have in common (RFC 9112,
 * 5 to 7). Lines are gathered in one array of the thread and copied into a buffer at once: each single write into a
 * direct buffer costs more than the text that it writes.
 *
 * <p>Text must be ISO 8859-1 without line breaks, which the writers built on this check
 * ({@link UnsendableMessageException}): only the low byte of a wider character would be sent.
 */
final class HeadWriter {

    private static final int INITIAL = 1024;

    /** A larger array, grown for one large head, is not kept. */
    private static final int KEPT = 64 * 1024;

    private static final FastThreadLocal<HeadWriter> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected HeadWriter initialValue() {
            return new HeadWriter();
        }
    };

    private byte[] bytes = new byte[INITIAL];
    private int size;

    private HeadWriter() {}

    /** Begins a head; the thread can write no other until {@link #toBuffer} ends it. */
    static HeadWriter begin() {
        HeadWriter head = OF_THREAD.get();
        head.size = 0;
        return head;
    }

    /** Appends text. */
    @SuppressWarnings("deprecation") // it drops high bytes, of which there are none, and is a plain copy therefore
    HeadWriter text(String latin1) {
        int length = latin1.length();
        reserve(length);
        latin1.getBytes(0, length, bytes, size);
        size += length;
        return this;
    }

    /** Appends one character. */
    HeadWriter character(char ascii) {
        reserve(1);
        bytes[size++] = (byte) ascii;
        return this;
    }

    /** Appends a non-negative number in hexadecimal digits. */
    HeadWriter hexadecimal(int number) {
        int shift = (31 - Integer.numberOfLeadingZeros(number | 1)) & ~3;
        for (; shift >= 0; shift -= 4) {
            character(Character.forDigit((number >>> shift) & 0xF, 16));
        }
        return this;
    }

    /** Appends CR LF. */
    HeadWriter endOfLine() {
        return character('\r').character('\n');
    }

    /** Appends a field line (RFC 9112, 5). */
    HeadWriter field(String name, String value) {
        return text(name).character(':').character(' ').text(value).endOfLine();
    }

    /** Appends all lines of a block, unchanged. */
    HeadWriter fields(HeaderBlock block) {
        for (int i = 0; i < block.size(); i++) {
            field(block.name(i), block.value(i));
        }
        return this;
    }

    /**
     * Appends the lines of a block that concern the message. Fields that concern the connection, and the length unless
     * it is kept, are written by the caller alone: a second framing field would let another reader find a different
     * message.
     */
    HeadWriter messageFields(HeaderBlock block, boolean keepLength) {
        for (int i = 0; i < block.size(); i++) {
            String name = block.name(i);
            if (!ReservedFields.isConnectionSpecific(name)
                    && (keepLength || !name.equalsIgnoreCase("Content-Length"))) {
                field(name, block.value(i));
            }
        }
        return this;
    }

    /**
     * Appends the lines of a trailer section, to either side. Fields that frame or route a message or concern a
     * connection are left out: they have no meaning there, and harm a recipient that merges them into the head (RFC
     * 9110, 6.5.1).
     */
    HeadWriter trailers(HeaderBlock block) {
        for (int i = 0; i < block.size(); i++) {
            if (!ReservedFields.isReserved(block.name(i))) {
                field(block.name(i), block.value(i));
            }
        }
        return this;
    }

    /** Appends the framing of a body of this length. */
    HeadWriter contentLength(long length) {
        return field("Content-Length", Long.toString(length));
    }

    /** Appends the framing of a body whose length is not known. */
    HeadWriter chunked() {
        return text("Transfer-Encoding: chunked\r\n");
    }

    /** The gathered bytes, owned by the caller. Ends this head. */
    ByteBuf toBuffer(ByteBufAllocator allocator) {
        ByteBuf out = allocator.buffer(size).writeBytes(bytes, 0, size);
        if (bytes.length > KEPT) {
            bytes = new byte[INITIAL];
        }
        return out;
    }

    /** Text that is sent repeatedly, each time as a {@link ByteBuf#duplicate}. */
    static ByteBuf constant(String ascii) {
        byte[] bytes = ascii.getBytes(StandardCharsets.US_ASCII);
        return Unpooled.unreleasableBuffer(
                Unpooled.directBuffer(bytes.length).writeBytes(bytes).asReadOnly());
    }

    private void reserve(int more) {
        int needed = Math.addExact(size, more);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(bytes.length * 2L, Integer.MAX_VALUE - 8)));
        }
    }
}
