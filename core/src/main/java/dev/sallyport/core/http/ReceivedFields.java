package dev.sallyport.core.http;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A field section of HTTP/2 as it is decoded: the decoder adds field by field, and what RFC 9113 (8.2, 8.3) forbids is
 * refused at once by {@link IllegalArgumentException}, which makes the message malformed. Pseudo-header fields are kept
 * apart, all others go into a block; the decoder itself sees none of them.
 */
public final class ReceivedFields extends DefaultHttp2Headers {

    private static final int SMALLEST_TABLE = 2;
    private static final List<String> PSEUDO =
            List.of(":status", ":method", ":scheme", ":authority", ":path", ":protocol");

    private final @Nullable String[] pseudo = new @Nullable String[PSEUDO.size()];
    private final HeaderBlock block;
    private boolean anyPseudo;

    /** An empty section with room for this many lines. */
    public ReceivedFields(int expectedLines) {
        super(false, SMALLEST_TABLE);
        block = new HeaderBlock(expectedLines);
    }

    @Override
    public Http2Headers add(CharSequence name, CharSequence value) {
        String field = name.toString();
        String text = value.toString();
        int pseudoHeader = field.startsWith(":") ? PSEUDO.indexOf(field) : -1;
        if (pseudoHeader >= 0) {
            if (!block.isEmpty() || pseudo[pseudoHeader] != null || text.isEmpty()) {
                throw new IllegalArgumentException("a pseudo-header field that is late, empty or there twice");
            }
            check(text);
            pseudo[pseudoHeader] = text;
            anyPseudo = true;
        } else {
            if (!Tokens.isToken(field) || hasUpperCase(field)) {
                throw new IllegalArgumentException("a field name that is not a token in lower case");
            }
            check(text);
            block.append(field, text);
        }
        return this;
    }

    private static boolean hasUpperCase(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                return true;
            }
        }
        return false;
    }

    private static void check(String value) {
        int length = value.length();
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c == 0 || c == '\r' || c == '\n') {
                throw new IllegalArgumentException("a control character in a field value");
            }
        }
        if (length > 0 && (isSpace(value.charAt(0)) || isSpace(value.charAt(length - 1)))) {
            throw new IllegalArgumentException("white space around a field value");
        }
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }

    /** All but the pseudo-header fields, in wire order. */
    public HeaderBlock block() {
        return block;
    }

    /** Whether there is any pseudo-header field: none may be in trailers. */
    public boolean hasPseudo() {
        return anyPseudo;
    }

    /** Whether there is a pseudo-header field of requests: none may be in responses. */
    public boolean hasRequestPseudo() {
        return anyPseudo
                && (pseudo[0] == null
                        || method() != null
                        || scheme() != null
                        || path() != null
                        || authority() != null
                        || pseudo[5] != null);
    }

    @Override
    public @Nullable String status() {
        return pseudo[0];
    }

    @Override
    public @Nullable String method() {
        return pseudo[1];
    }

    @Override
    public @Nullable String scheme() {
        return pseudo[2];
    }

    @Override
    public @Nullable String authority() {
        return pseudo[3];
    }

    @Override
    public @Nullable String path() {
        return pseudo[4];
    }

    /** The protocol of an extended CONNECT (RFC 8441). */
    public @Nullable String protocol() {
        return pseudo[5];
    }

    @Override
    public int size() {
        return block.size();
    }

    @Override
    public boolean isEmpty() {
        return block.isEmpty() && !anyPseudo;
    }

    @Override
    public boolean contains(CharSequence name) {
        int at = PSEUDO.indexOf(name.toString());
        return at >= 0 ? pseudo[at] != null : block.contains(name.toString());
    }

    /** Nothing: lengths are the concern of whoever reads the message. */
    @Override
    public List<CharSequence> getAll(CharSequence name) {
        return List.of();
    }

    /** Nothing, as above. */
    @Override
    public Iterator<Map.Entry<CharSequence, CharSequence>> iterator() {
        return Collections.emptyIterator();
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
        return "Received" + block;
    }
}
