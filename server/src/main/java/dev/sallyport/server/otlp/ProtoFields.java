package dev.sallyport.server.otlp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The few fields of collectors' responses that are read. A message that is broken, or has no such field, yields the
 * field's default, as a field that was not sent.
 */
final class ProtoFields {

    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;
    private static final int MOST_SHIFT = 63;

    private ProtoFields() {}

    /** A number, or 0. */
    static long number(ByteBuffer message, int field) {
        ByteBuffer in = message.duplicate();
        while (in.hasRemaining()) {
            long key = varint(in);
            if (key == (((long) field << 3) | VARINT)) {
                return varint(in);
            }
            if (!skip(in, (int) (key & 7))) {
                return 0;
            }
        }
        return 0;
    }

    /** A text, or an empty one. */
    static String text(ByteBuffer message, int field) {
        ByteBuffer found = bytes(message, field);
        return found == null ? "" : StandardCharsets.UTF_8.decode(found).toString();
    }

    /** A message or text, or null. */
    static @Nullable ByteBuffer bytes(ByteBuffer message, int field) {
        ByteBuffer in = message.duplicate();
        while (in.hasRemaining()) {
            long key = varint(in);
            if (key == (((long) field << 3) | BYTES)) {
                long length = varint(in);
                return length < 0 || length > in.remaining() ? null : in.slice(in.position(), (int) length);
            }
            if (!skip(in, (int) (key & 7))) {
                return null;
            }
        }
        return null;
    }

    private static boolean skip(ByteBuffer in, int type) {
        if (type == VARINT) {
            varint(in);
            return true;
        }
        long length = switch (type) {
            case FIXED64 -> 8;
            case BYTES -> varint(in);
            case FIXED32 -> 4;
            default -> -1;
        };
        if (length < 0 || length > in.remaining()) {
            return false;
        }
        in.position(in.position() + (int) length);
        return true;
    }

    /** Ends at the end of the buffer, too. */
    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; shift <= MOST_SHIFT && in.hasRemaining(); shift += 7) {
            byte next = in.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                break;
            }
        }
        return value;
    }
}
