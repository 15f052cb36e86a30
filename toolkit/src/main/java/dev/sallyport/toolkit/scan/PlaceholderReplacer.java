package dev.sallyport.toolkit.scan;

import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Headers;
import dev.sallyport.toolkit.headers.FieldSyntax;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Puts values in place of placeholders, each place in its own encoding. Every method is a pure function: it returns the
 * same instance when nothing was replaced, and allocates nothing when nothing was found.
 *
 * <p>Each method calls its choice once for each placeholder found, by index, from left to right. A value replaces the
 * placeholder; null leaves it. The choice may record where the placeholder was found. Among overlapping placeholders
 * the leftmost and then longest counts, even if it is then left alone.
 *
 * <p>Header values, paths and queries are Latin-1 texts, each character one byte, as the engine keeps them. Immutable
 * and thread-safe. Keeps no values.
 */
public final class PlaceholderReplacer {

    private static final String BASIC = "basic ";

    private final Placeholders placeholders;

    PlaceholderReplacer(Placeholders placeholders) {
        this.placeholders = placeholders;
    }

    /** Supplies the value of a placeholder. */
    @FunctionalInterface
    public interface Choice {

        /** The unencoded value; null to leave the placeholder. */
        byte @Nullable [] value(int placeholder);
    }

    /** Supplies the value of a placeholder in a query. */
    @FunctionalInterface
    public interface QueryChoice {

        /** As {@link Choice#value}, for the value of a parameter; its name is given as sent. */
        byte @Nullable [] value(int placeholder, String parameterName);
    }

    /**
     * Whether {@link #header} or {@link #authorization} may find something in one of these fields. One pass over all of
     * them, far cheaper than a search in each. False is certain; true must be checked.
     */
    public boolean mayFind(Headers fields) {
        TokenMatcher matcher = placeholders.header().matcher();
        SearchBuffer scratch = SearchBuffer.take();
        try {
            int length = 0;
            for (int i = 0; i < fields.size(); i++) {
                String value = fields.value(i);
                length = scratch.append(length, value, matcher.absent());
                int from = credentialsFrom(value);
                int decoded = from < 0 ? -1 : scratch.appendBase64(length, value, from);
                if (decoded > length) {
                    length = scratch.append(decoded, "", matcher.absent());
                }
            }
            return matcher.find(scratch.bytes(), 0, length, scratch.match);
        } finally {
            scratch.give();
        }
    }

    /**
     * Replaces placeholders in a header value, raw, percent-encoded or escaped as JSON and structured fields do it
     * (RFC 9651, 3.3.3). Each value is written in the encoding of its placeholder.
     *
     * @throws UnsafeValueException when the result would contain a control character that no header may hold
     */
    public String header(String value, Choice choice) {
        Splice splice = splice(value, choice);
        return splice == null ? value : requireOneLine(splice.finish());
    }

    /**
     * As {@link #header}, for {@code Authorization} and its like: credentials of the scheme Basic (RFC 7617) are
     * decoded, searched and encoded again. If nothing is found in them, the raw value is searched.
     *
     * @throws UnsafeValueException when the result would contain a control character that no header may hold
     */
    public String authorization(String value, Choice choice) {
        int from = credentialsFrom(value);
        String credentials = from < 0 ? null : credentials(value, from);
        if (credentials == null) {
            return header(value, choice);
        }
        Splice splice = splice(credentials, choice);
        if (splice == null) {
            return value;
        }
        boolean padded = (value.length() - from) % 4 == 0;
        Base64.Encoder encoder =
                padded ? Base64.getEncoder() : Base64.getEncoder().withoutPadding();
        byte[] replaced = splice.finish().getBytes(StandardCharsets.ISO_8859_1);
        return value.substring(0, from) + encoder.encodeToString(replaced);
    }

    /**
     * Replaces placeholders in the parameters' values of a raw query, raw or percent-encoded; a plus sign is a space or
     * itself. Names and all other text stay unchanged; the values put in are percent-encoded.
     */
    public String query(String rawQuery, QueryChoice choice) {
        SearchBuffer scratch = SearchBuffer.take();
        try {
            PlaceholderForms forms = placeholders.query();
            Splice splice = null;
            int from = 0;
            while (from < rawQuery.length()) {
                int ampersand = rawQuery.indexOf('&', from);
                int to = ampersand < 0 ? rawQuery.length() : ampersand;
                int equals = rawQuery.indexOf('=', from);
                if (equals >= 0 && equals < to) {
                    int length = scratch.decode(
                            rawQuery, equals + 1, to, true, forms.matcher().absent());
                    if (forms.matcher().find(scratch.bytes(), 0, length, scratch.match)) {
                        String name = rawQuery.substring(from, equals);
                        Choice named = placeholder -> choice.value(placeholder, name);
                        splice = splice(rawQuery, splice, scratch, length, forms, Percent.UNRESERVED, named);
                    }
                }
                from = to + 1;
            }
            return splice == null ? rawQuery : splice.finish();
        } finally {
            scratch.give();
        }
    }

    /**
     * Replaces placeholders in a raw path, raw or percent-encoded. All other text stays unchanged; the values put in
     * are encoded so that each stays within its segment.
     *
     * @throws UnsafeValueException when a segment would become {@code .} or {@code ..}
     */
    public String path(String rawPath, Choice choice) {
        SearchBuffer scratch = SearchBuffer.take();
        try {
            PlaceholderForms forms = placeholders.path();
            int length = scratch.decode(
                    rawPath, 0, rawPath.length(), false, forms.matcher().absent());
            Splice splice = splice(rawPath, null, scratch, length, forms, Percent.SEGMENT, choice);
            return splice == null ? rawPath : requireNoDotSegment(splice.finish());
        } finally {
            scratch.give();
        }
    }

    /**
     * Replaces placeholders in a body as it streams, after its content coding was removed. The notation of the values
     * depends on the content type and on the form of the placeholder: raw, percent-encoded or escaped as JSON or XML.
     *
     * @return a rewriter for one body; it throws {@link UnsafeValueException} for a value that could end the CDATA
     *     section in which its placeholder stands
     */
    public BodyRewriter body(@Nullable String contentType, Choice choice) {
        return body(BodyEscaping.of(contentType), choice);
    }

    /**
     * As {@link #body(String, Choice)}, for a text message without a content type, such as those of a WebSocket: values
     * are escaped when the message begins like JSON.
     *
     * @return a rewriter for one message
     */
    public BodyRewriter message(Choice choice) {
        return new MessageRewriter(this, choice);
    }

    BodyRewriter body(BodyEscaping escaping, Choice choice) {
        PlaceholderForms forms = placeholders.body(escaping);
        return new ReplacingRewriter(forms.matcher(), forms.replacer(choice));
    }

    /** The start of the credentials of the scheme Basic, or -1 for another scheme. */
    private static int credentialsFrom(String value) {
        if (!value.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return -1;
        }
        int from = BASIC.length();
        while (from < value.length() && value.charAt(from) == ' ') {
            from++;
        }
        return from;
    }

    /** The decoded credentials if they contain a placeholder. */
    private @Nullable String credentials(String value, int from) {
        SearchBuffer scratch = SearchBuffer.take();
        try {
            int length = scratch.decodeBase64(value, from);
            TokenMatcher matcher = placeholders.header().matcher();
            boolean found = length > 0 && matcher.find(scratch.bytes(), 0, length, scratch.match);
            return found ? scratch.latin1(length) : null;
        } finally {
            scratch.give();
        }
    }

    private @Nullable Splice splice(String text, Choice choice) {
        SearchBuffer scratch = SearchBuffer.take();
        try {
            PlaceholderForms forms = placeholders.header();
            TokenMatcher matcher = forms.matcher();
            scratch.load(text, matcher.absent());
            Splice splice = null;
            int at = 0;
            while (matcher.find(scratch.bytes(), at, text.length(), scratch.match)) {
                Match match = scratch.match;
                at = match.end();
                byte[] value = choice.value(forms.placeholder(match.token()));
                if (value != null) {
                    splice = splice == null ? new Splice(text) : splice;
                    splice.replace(match.start(), match.end(), forms.write(match.token(), value));
                }
            }
            return splice;
        } finally {
            scratch.give();
        }
    }

    private @Nullable Splice splice(
            String text,
            @Nullable Splice begun,
            SearchBuffer scratch,
            int length,
            PlaceholderForms forms,
            String kept,
            Choice choice) {
        Splice splice = begun;
        int at = 0;
        while (forms.matcher().find(scratch.bytes(), at, length, scratch.match)) {
            Match match = scratch.match;
            at = match.end();
            byte[] value = choice.value(forms.placeholder(match.token()));
            if (value != null) {
                splice = splice == null ? new Splice(text) : splice;
                splice.replace(
                        scratch.position(match.start()),
                        scratch.position(match.end()),
                        Percent.encode(value, kept, false, true));
            }
        }
        return splice;
    }

    private static String requireOneLine(String value) {
        if (!FieldSyntax.isValue(value)) {
            throw new UnsafeValueException(
                    "header value: a control character in what replaces a placeholder (expected: a value of one line)");
        }
        return value;
    }

    private static String requireNoDotSegment(String path) {
        for (String segment : path.split("/", -1)) {
            if (segment.equals(".") || segment.equals("..")) {
                throw new UnsafeValueException(
                        "path: a dot segment in place of a placeholder (expected: a value that stays in its segment)");
            }
        }
        return path;
    }

    @Override
    public String toString() {
        return "PlaceholderReplacer[" + placeholders.matcher().size() + "]";
    }
}
