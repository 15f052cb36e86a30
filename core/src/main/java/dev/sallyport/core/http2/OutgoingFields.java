package dev.sallyport.core.http2;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.WebSocketKey;
import dev.sallyport.toolkit.headers.FieldSyntax;
import dev.sallyport.toolkit.headers.ReservedFields;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.util.AsciiString;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A field section on its way to the encoder, on either side (RFC 9113, 8): pseudo-header fields, then the lines of a
 * block in their order, with names in lower case. Fields that belong to an HTTP/1.1 connection are left out,
 * {@code Cookie} is split into crumbs (8.2.3), and credentials are never indexed (RFC 7541, 7.1.3).
 *
 * <p>One object serves all sections of a connection, one after the other; iterating allocates only the crumbs of a
 * cookie that has several.
 */
final class OutgoingFields extends DefaultHttp2Headers {

    /** What the section belongs to. */
    enum Kind {
        REQUEST,
        /** A request for an upgrade, sent as an extended CONNECT: its key has no meaning there (RFC 8441, 5). */
        UPGRADE,
        RESPONSE,
        TRAILERS
    }

    /** The overhead of each line in SETTINGS_MAX_HEADER_LIST_SIZE (RFC 9113, 6.5.2). */
    private static final int LINE_OVERHEAD = 32;

    private static final int MAX_PSEUDO = 5;
    private static final HeaderBlock NOTHING = new HeaderBlock(1);
    private static final String CRUMB_SEPARATOR = "; ";

    private final CharSequence[] pseudo = new CharSequence[2 * MAX_PSEUDO];
    private int pseudos;
    private HeaderBlock block = NOTHING;
    private Kind kind = Kind.RESPONSE;
    private boolean keepLength;
    private final Cursor cursor = new Cursor();

    OutgoingFields() {
        super(false, 1);
    }

    /**
     * Begins a section with the lines of this block.
     *
     * @param keepsLength whether {@code Content-Length} is sent
     * @throws IllegalArgumentException when a line would be read as something else
     */
    void begin(Kind of, HeaderBlock headers, boolean keepsLength) {
        for (int i = 0; i < headers.size(); i++) {
            requireLine(headers.name(i));
            requireLine(headers.value(i));
        }
        kind = of;
        block = headers;
        keepLength = keepsLength;
        pseudos = 0;
    }

    /** Appends a pseudo-header field. */
    void pseudo(AsciiString name, String value) {
        requireLine(value);
        pseudo[2 * pseudos] = name;
        pseudo[2 * pseudos + 1] = value;
        pseudos++;
    }

    /** Forgets the block. */
    void end() {
        block = NOTHING;
        pseudos = 0;
    }

    private static void requireLine(String text) {
        if (!FieldSyntax.isTransmissible(text)) {
            throw new IllegalArgumentException(
                    "a header field has a line break, NUL or a wide character (expected:" + " one line of ISO 8859-1)");
        }
    }

    /** The size that SETTINGS_MAX_HEADER_LIST_SIZE bounds (RFC 9113, 6.5.2). */
    long listBytes() {
        long bytes = 0;
        for (Map.Entry<CharSequence, CharSequence> line : this) {
            bytes += line.getKey().length() + line.getValue().length() + LINE_OVERHEAD;
        }
        return bytes;
    }

    /** Whether the encoder's current line must never be indexed, here or at later hops. */
    boolean isNeverIndexed() {
        int line = cursor.line;
        if (line < 0) {
            return false;
        }
        return block.isSensitive(line)
                || switch (cursor.name.length()) {
                    case 10 -> AsciiString.contentEquals(cursor.name, "set-cookie");
                    case 13 -> AsciiString.contentEquals(cursor.name, "authorization");
                    default -> false;
                };
    }

    private boolean isLeftOut(String name, String value) {
        if (kind == Kind.TRAILERS) {
            return ReservedFields.isReserved(name);
        }
        return switch (name.length()) {
            case 2 -> name.equalsIgnoreCase("TE") && !value.strip().equalsIgnoreCase("trailers");
            case 4 -> kind != Kind.RESPONSE && name.equalsIgnoreCase("Host");
            case 14 ->
                (!keepLength && name.equalsIgnoreCase("Content-Length")) || name.equalsIgnoreCase("HTTP2-Settings");
            case 17 ->
                ReservedFields.isConnectionSpecific(name)
                        || (kind == Kind.UPGRADE && name.equalsIgnoreCase(WebSocketKey.FIELD));
            default -> ReservedFields.isConnectionSpecific(name);
        };
    }

    @Override
    public Iterator<Map.Entry<CharSequence, CharSequence>> iterator() {
        cursor.restart();
        return cursor;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    /** The number of lines only: values may be secrets. */
    @Override
    public String toString() {
        return "OutgoingFields[" + kind + ", " + block.size() + " lines]";
    }

    /** The encoder's position, and the line there. */
    private final class Cursor
            implements Iterator<Map.Entry<CharSequence, CharSequence>>, Map.Entry<CharSequence, CharSequence> {

        private int nextPseudo;
        private int nextLine;

        /** The start of the line's next crumb; 0 before the first. */
        private int nextCrumb;

        /** The line of the block that the entry comes from; -1 for a pseudo-header field. */
        private int line;

        private CharSequence name = "";
        private CharSequence value = "";

        void restart() {
            nextPseudo = 0;
            nextLine = 0;
            nextCrumb = 0;
            line = -1;
            skip();
        }

        @Override
        public boolean hasNext() {
            return nextPseudo < pseudos || nextLine < block.size();
        }

        @Override
        public Map.Entry<CharSequence, CharSequence> next() {
            if (nextPseudo < pseudos) {
                name = pseudo[2 * nextPseudo];
                value = pseudo[2 * nextPseudo + 1];
                nextPseudo++;
                return this;
            }
            if (nextLine >= block.size()) {
                throw new NoSuchElementException();
            }
            line = nextLine;
            String whole = block.value(line);
            if (nextCrumb == 0) {
                name = LowerCase.of(block.name(line));
            }
            int separator = AsciiString.contentEquals(name, "cookie") ? whole.indexOf(CRUMB_SEPARATOR, nextCrumb) : -1;
            if (separator >= 0) {
                value = whole.substring(nextCrumb, separator).strip();
                nextCrumb = separator + CRUMB_SEPARATOR.length();
            } else {
                value = whole.substring(nextCrumb).strip();
                nextCrumb = 0;
                nextLine++;
                skip();
            }
            return this;
        }

        private void skip() {
            while (nextLine < block.size() && isLeftOut(block.name(nextLine), block.value(nextLine))) {
                nextLine++;
            }
        }

        @Override
        public CharSequence getKey() {
            return name;
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

    /**
     * A cache of names in lower case, because few names recur. Races between threads at worst lose an entry, since
     * entries never change.
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
