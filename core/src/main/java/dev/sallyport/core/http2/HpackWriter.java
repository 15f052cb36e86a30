package dev.sallyport.core.http2;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.ReservedFields;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.AsciiString;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * Writes the header blocks of one HTTP/2 connection (RFC 7541), in the order in which they are sent. Names become lower
 * case; fields that belong to a connection of HTTP/1.1 are left out; lines that carry secrets, and those that are known to,
 * are never put into a table. Not thread-safe.
 */
public final class HpackWriter {

    private static final int MAX_TABLE = 4096;
    private static final int TABLE_HASH_SIZE = 16;
    private static final AsciiString STATUS = AsciiString.cached(":status");

    private final Lines lines = new Lines();
    private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder(
            (name, value) -> lines().neverIndexed(name), true, TABLE_HASH_SIZE, Integer.MAX_VALUE);

    private Lines lines() {
        return lines;
    }

    /** The peer's SETTINGS_HEADER_TABLE_SIZE; of a larger table than the default no use is made. */
    public void tableSize(long size) throws Http2Exception {
        encoder.configuration().maxHeaderTableSize(Math.min(size, MAX_TABLE));
    }

    /**
     * Writes the block of a response.
     *
     * @param keepLength whether its {@code Content-Length} is written
     * @throws IllegalArgumentException when a field cannot be sent, before anything is written
     */
    public void response(int status, HeaderBlock headers, boolean keepLength, ByteBuf out) {
        lines.begin(headers, keepLength);
        lines.pseudo(STATUS, Integer.toString(status));
        write(out);
    }

    /**
     * Writes the block of trailers.
     *
     * @throws IllegalArgumentException when a field cannot be sent, before anything is written
     */
    public void trailers(HeaderBlock trailers, ByteBuf out) {
        lines.begin(trailers, false);
        write(out);
    }

    /** Releases what is held. */
    public void close() {
        encoder.close();
    }

    private void write(ByteBuf out) {
        try {
            encoder.encodeHeaders(0, lines, out);
        } catch (Http2Exception e) {
            throw new IllegalArgumentException("header fields that cannot be encoded", e);
        } finally {
            lines.block = NOTHING;
        }
    }

    private static final HeaderBlock NOTHING = new HeaderBlock(1);

    /** What the encoder goes through, once for each block, without an object for each line. */
    private static final class Lines extends DefaultHttp2Headers {

        private static final int MOST_PSEUDO = 5;

        private final CharSequence[] pseudo = new CharSequence[2 * MOST_PSEUDO];
        private int pseudos;
        private HeaderBlock block = NOTHING;
        private boolean keepLength;
        private final Cursor cursor = new Cursor();

        Lines() {
            super(false, 1);
        }

        void begin(HeaderBlock headers, boolean length) {
            for (int i = 0; i < headers.size(); i++) {
                requireLine(headers.name(i));
                requireLine(headers.value(i));
            }
            block = headers;
            keepLength = length;
            pseudos = 0;
        }

        void pseudo(CharSequence name, String text) {
            requireLine(text);
            pseudo[2 * pseudos] = name;
            pseudo[2 * pseudos + 1] = text;
            pseudos++;
        }

        private static void requireLine(String text) {
            if (!FieldSyntax.isTransmissible(text)) {
                throw new IllegalArgumentException("a header field has a line break, NUL or a wide character (expected:"
                        + " one line of ISO 8859-1)");
            }
        }

        boolean neverIndexed(CharSequence name) {
            int line = cursor.at - pseudos;
            if (line < 0) {
                return false;
            }
            return block.isSensitive(line)
                    || switch (name.length()) {
                        case 10 -> AsciiString.contentEquals(name, "set-cookie");
                        case 13 -> AsciiString.contentEquals(name, "authorization");
                        default -> false;
                    };
        }

        @Override
        public Iterator<Map.Entry<CharSequence, CharSequence>> iterator() {
            cursor.next = 0;
            cursor.skip();
            return cursor;
        }

        private boolean isLeftOut(String name) {
            return ReservedFields.isConnectionSpecific(name)
                    || (!keepLength && name.equalsIgnoreCase("Content-Length"));
        }

        /** Where the encoder is, and the line there. */
        private final class Cursor
                implements Iterator<Map.Entry<CharSequence, CharSequence>>, Map.Entry<CharSequence, CharSequence> {

            private int at;
            private int next;
            private CharSequence key = "";
            private CharSequence value = "";

            @Override
            public boolean hasNext() {
                return next < pseudos + block.size();
            }

            @Override
            public Map.Entry<CharSequence, CharSequence> next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                at = next++;
                if (at < pseudos) {
                    key = pseudo[2 * at];
                    value = pseudo[2 * at + 1];
                } else {
                    key = LowerCase.of(block.name(at - pseudos));
                    value = block.value(at - pseudos);
                }
                skip();
                return this;
            }

            private void skip() {
                while (next >= pseudos && hasNext() && isLeftOut(block.name(next - pseudos))) {
                    next++;
                }
            }

            @Override
            public CharSequence getKey() {
                return key;
            }

            @Override
            public CharSequence getValue() {
                return value;
            }

            @Override
            public CharSequence setValue(CharSequence newValue) {
                throw new UnsupportedOperationException();
            }
        }
    }

    /**
     * Names in lower case, remembered: the same few come again and again. Races between threads lose an entry at worst,
     * since entries never change.
     */
    private record LowerCase(String name, AsciiString lower) {

        private static final LowerCase[] KNOWN = new LowerCase[512];

        static AsciiString of(String name) {
            int slot = name.hashCode() & (KNOWN.length - 1);
            LowerCase known = KNOWN[slot];
            if (known == null || !known.name.equals(name)) {
                known = new LowerCase(name, new AsciiString(name.toLowerCase(Locale.ROOT)));
                KNOWN[slot] = known;
            }
            return known.lower;
        }
    }
}
