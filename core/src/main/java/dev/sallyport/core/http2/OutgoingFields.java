package dev.sallyport.core.http2;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.WebSocketKey;
import dev.sallyport.toolkit.headers.ReservedFields;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A field section of HTTP/2 on its way out (RFC 9113, 8): pseudo-header fields, then the lines of a block with their
 * names in lower case. Fields of one connection only are left out, {@code Cookie} is sent in crumbs (8.2.3), and lines
 * marked sensitive are never indexed (RFC 7541, 7.1.3). Made to be encoded once: it can be iterated and nothing else.
 */
public final class OutgoingFields extends DefaultHttp2Headers {

    private static final int SMALLEST_TABLE = 2;
    private static final int OVERHEAD = 32;

    private CharSequence[] lines;
    private int size;
    private long listBytes;

    private OutgoingFields(int expectedLines) {
        super(false, SMALLEST_TABLE);
        this.lines = new CharSequence[expectedLines * 2];
    }

    /** A request; {@code authority} is used where the head has no {@code Host}. */
    public static OutgoingFields request(RequestMessage head, String scheme, String authority) {
        OutgoingFields fields = new OutgoingFields(head.headers().size() + 4);
        fields.fill(head, scheme, authority);
        return fields;
    }

    private void fill(RequestMessage head, String scheme, String authority) {
        String host = head.headers().first("Host");
        append(":method", head.method());
        append(":scheme", scheme);
        append(":authority", host == null || host.isEmpty() ? authority : host);
        append(":path", head.target());
        appendAll(head.headers());
    }

    /**
     * An extended CONNECT (RFC 8441, 5), made of the request that would ask for the upgrade over HTTP/1.1; a key has no
     * meaning here.
     */
    public static OutgoingFields connect(RequestMessage upgrade, String scheme, String authority, String protocol) {
        HeaderBlock headers = upgrade.headers().copy();
        headers.removeAll(WebSocketKey.FIELD);
        RequestMessage head = new RequestMessage("CONNECT", upgrade.path(), upgrade.queryOrNull(), headers, 0);
        OutgoingFields fields = new OutgoingFields(headers.size() + 5);
        fields.append(":protocol", protocol);
        fields.fill(head, scheme, authority);
        return fields;
    }

    /** Trailer fields. */
    public static OutgoingFields trailers(HeaderBlock trailers) {
        OutgoingFields fields = new OutgoingFields(trailers.size());
        fields.appendAll(trailers);
        return fields;
    }

    /** Whether HPACK must not put this value into its table: for the encoder. */
    public static boolean isSensitive(CharSequence value) {
        return value instanceof Secret;
    }

    /** The size that {@code SETTINGS_MAX_HEADER_LIST_SIZE} bounds (RFC 9113, 6.5.2). */
    public long listBytes() {
        return listBytes;
    }

    private void appendAll(HeaderBlock block) {
        boolean secrets = block.hasSensitive();
        for (int i = 0; i < block.size(); i++) {
            String name = block.name(i).toLowerCase(Locale.ROOT);
            boolean secret = secrets && block.isSensitive(i);
            if (name.equals("cookie")) {
                appendCrumbs(block.value(i), secret);
            } else if (passes(name, block.value(i))) {
                append(name, wrap(block.value(i).strip(), secret));
            }
        }
    }

    private static boolean passes(String name, String value) {
        return switch (name) {
            case "host", "http2-settings" -> false;
            case "te" -> value.strip().equalsIgnoreCase("trailers");
            default -> !ReservedFields.isConnectionSpecific(name);
        };
    }

    private void appendCrumbs(String cookie, boolean secret) {
        int from = 0;
        for (int at = cookie.indexOf("; "); at >= 0; at = cookie.indexOf("; ", from)) {
            append("cookie", wrap(cookie.substring(from, at).strip(), secret));
            from = at + 2;
        }
        append("cookie", wrap(cookie.substring(from).strip(), secret));
    }

    private static CharSequence wrap(String value, boolean secret) {
        return secret ? new Secret(value) : value;
    }

    private void append(String name, CharSequence value) {
        if (size * 2 == lines.length) {
            lines = java.util.Arrays.copyOf(lines, Math.max(4, lines.length * 2));
        }
        lines[size * 2] = name;
        lines[size * 2 + 1] = value;
        size++;
        listBytes += name.length() + value.length() + OVERHEAD;
    }

    /** What is sent to origins has none. */
    @Override
    public @Nullable CharSequence status() {
        return null;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean isEmpty() {
        return size == 0;
    }

    /** Hands out one entry again and again, each time with the next line. */
    @Override
    public Iterator<Map.Entry<CharSequence, CharSequence>> iterator() {
        return new Lines();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    /** The names only: values may be secrets. */
    @Override
    public String toString() {
        StringBuilder names = new StringBuilder("OutgoingFields");
        for (int i = 0; i < size; i++) {
            names.append(i == 0 ? "[" : ", ").append(lines[i * 2]);
        }
        return names.append(']').toString();
    }

    /** An edit would not be sent. */
    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
        throw new UnsupportedOperationException();
    }

    private final class Lines
            implements Iterator<Map.Entry<CharSequence, CharSequence>>, Map.Entry<CharSequence, CharSequence> {

        private int next;

        @Override
        public boolean hasNext() {
            return next < size;
        }

        @Override
        public Map.Entry<CharSequence, CharSequence> next() {
            if (next >= size) {
                throw new NoSuchElementException();
            }
            next++;
            return this;
        }

        @Override
        public CharSequence getKey() {
            return lines[(next - 1) * 2];
        }

        @Override
        public CharSequence getValue() {
            return lines[(next - 1) * 2 + 1];
        }

        @Override
        public CharSequence setValue(CharSequence value) {
            throw new UnsupportedOperationException();
        }
    }

    /** A value that says of itself that it is secret. */
    private record Secret(String value) implements CharSequence {

        @Override
        public int length() {
            return value.length();
        }

        @Override
        public char charAt(int index) {
            return value.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return value.substring(start, end);
        }

        @Override
        public String toString() {
            return value;
        }
    }
}
