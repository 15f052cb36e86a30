package dev.sallyport.core.http2;

import dev.sallyport.core.http.HeaderBlock;
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
    private static final AsciiString METHOD = AsciiString.cached(":method");
    private static final AsciiString SCHEME = AsciiString.cached(":scheme");
    private static final AsciiString AUTHORITY = AsciiString.cached(":authority");
    private static final AsciiString PATH = AsciiString.cached(":path");
    private static final AsciiString PROTOCOL = AsciiString.cached(":protocol");
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
     * @throws IllegalArgumentException when a field has a line break, before anything is written
     */
    public void response(int status, HeaderBlock headers, boolean keepLength, ByteBuf out) {
        lines.begin(headers, keepLength);
        lines.pseudo(STATUS, Integer.toString(status));
        write(out);
    }

    /**
     * Writes the block of a request; {@code Host} is left out, since {@code :authority} stands for it.
     *
     * @param protocol {@code :protocol} of an extended CONNECT (RFC 8441); empty for none
     * @throws IllegalArgumentException when a field has a line break, before anything is written
     */
    public void request(
            String method,
            String scheme,
            String authority,
            String path,
            String protocol,
            HeaderBlock headers,
            ByteBuf out) {
        lines.begin(headers, true);
        lines.pseudo(METHOD, method);
        lines.pseudo(SCHEME, scheme);
        lines.pseudo(AUTHORITY, authority);
        lines.pseudo(PATH, path);
        if (!protocol.isEmpty()) {
            lines.pseudo(PROTOCOL, protocol);
        }
        lines.withoutHost = true;
        write(out);
    }

    /**
     * Writes the block of trailers.
     *
     * @throws IllegalArgumentException when a field has a line break, before anything is written
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
        private boolean withoutHost;
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
            withoutHost = false;
            pseudos = 0;
        }

        void pseudo(CharSequence name, String text) {
            requireLine(text);
            pseudo[2 * pseudos] = name;
            pseudo[2 * pseudos + 1] = text;
            pseudos++;
        }

        private static void requireLine(String text) {
            if (text.indexOf('\n') >= 0 || text.indexOf('\r') >= 0 || text.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("a header field has a line break or NUL (expected: one line)");
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
            return switch (name.length()) {
                case 4 -> withoutHost && name.equalsIgnoreCase("Host");
                case 7 -> name.equalsIgnoreCase("Upgrade");
                case 10 -> name.equalsIgnoreCase("Connection") || name.equalsIgnoreCase("Keep-Alive");
                case 14 -> !keepLength && name.equalsIgnoreCase("Content-Length");
                case 16 -> name.equalsIgnoreCase("Proxy-Connection");
                case 17 -> name.equalsIgnoreCase("Transfer-Encoding");
                default -> false;
            };
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
