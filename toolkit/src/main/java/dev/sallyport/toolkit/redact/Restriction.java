package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.Headers;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.headers.CallProtocol;
import dev.sallyport.toolkit.headers.HeaderNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Restricts a request whose response will be searched: it may only ask for a whole body, in a content coding and
 * charset that can be decoded. The engine applies it before a request leaves; transforms that sign fields apply it
 * earlier.
 */
public final class Restriction {

    private static final String ACCEPT = "Accept";
    private static final String ACCEPT_ENCODING = "Accept-Encoding";
    private static final String IDENTITY = "identity";
    private static final String RANGE = "Range";

    /**
     * A range of a body (RFC 9110, 14.2) may split a value, and so may a difference (RFC 3229). Object stores and older
     * servers know ranges under further names; Azure refuses to give the digest of one without one. Without {@code
     * Accept-Charset} the charset is the origin's choice (12.5.2).
     */
    private static final List<String> DROPPED = List.of(
            "Range",
            "If-Range",
            "Request-Range",
            "X-Range",
            "X-MS-Range",
            "X-MS-Range-Get-Content-MD5",
            "X-MS-Range-Get-Content-CRC64",
            "X-Goog-Range",
            "A-IM",
            "Accept-Charset");

    /** Receives the changes to the fields. */
    public interface Change {

        /** Removes all lines of a name. */
        void remove(String name);

        /** Replaces all lines of a name, in the client's casing, with one line. */
        void set(String name, String value);
    }

    private Restriction() {}

    /** Makes the necessary changes; none for most requests. */
    public static void of(Headers request, Change change) {
        for (String name : DROPPED) {
            if (request.contains(name)) {
                change.remove(name);
            }
        }
        codings(request, change);
        charsets(request, change);
        CallProtocol call = CallProtocol.of(request.first("Content-Type"));
        String wanted = call == null ? null : request.first(call.acceptField());
        if (call != null && wanted != null && !wanted.equals(IDENTITY)) {
            change.set(name(request, call.acceptField()), IDENTITY);
        }
    }

    /** The names of those fields of a request, as it has them, that ask for a range and are dropped. */
    public static List<String> ranges(Headers request) {
        List<String> found = List.of();
        for (int i = 0; i < request.size(); i++) {
            String name = request.name(i);
            if (name.length() >= RANGE.length() && isRange(name)) {
                found = found.isEmpty() ? new ArrayList<>(1) : found;
                found.add(name);
            }
        }
        return found;
    }

    /** {@code If-Range} is but a condition. */
    private static boolean isRange(String name) {
        return name.regionMatches(true, name.length() - RANGE.length(), RANGE, 0, RANGE.length())
                && !HeaderNames.equal(name, "If-Range")
                && DROPPED.stream().anyMatch(dropped -> HeaderNames.equal(name, dropped));
    }

    private static void codings(Headers request, Change change) {
        String all = joined(request, ACCEPT_ENCODING);
        if (all == null) {
            return;
        }
        List<String> kept = new ArrayList<>(4);
        boolean dropped = false;
        for (String element : all.split(",", -1)) {
            String coding = element.strip();
            if (isKnown(coding)) {
                kept.add(coding);
            } else {
                dropped |= !coding.isEmpty();
            }
        }
        if (dropped) {
            // Some origins read an empty list as a free choice; this value has the intended meaning (RFC 9110, 12.5.3).
            change.set(name(request, ACCEPT_ENCODING), kept.isEmpty() ? IDENTITY : String.join(", ", kept));
        }
    }

    private static boolean isKnown(String element) {
        int semicolon = element.indexOf(';');
        String coding = (semicolon < 0 ? element : element.substring(0, semicolon)).strip();
        return coding.equalsIgnoreCase(IDENTITY)
                || (!coding.isEmpty() && Codings.parse(coding).known());
    }

    /** Removes {@code charset} parameters from {@code Accept}, unless they ask for a common charset. */
    private static void charsets(Headers request, Change change) {
        String all = joined(request, ACCEPT);
        if (all == null || !all.toLowerCase(Locale.ROOT).contains("charset")) {
            return;
        }
        StringBuilder kept = new StringBuilder(all.length());
        int start = 0;
        boolean quoted = false;
        for (int i = 0; i <= all.length(); i++) {
            char c = i == all.length() ? ',' : all.charAt(i);
            if (quoted && i < all.length()) {
                if (c == '\\') {
                    i++;
                } else {
                    quoted = c != '"';
                }
            } else if (c == '"') {
                quoted = true;
            } else if (c == ',' || c == ';') {
                keep(all.substring(start, Math.min(i, all.length())), i == all.length() ? "" : String.valueOf(c), kept);
                start = i + 1;
            }
        }
        if (kept.length() < all.length()) {
            change.set(name(request, ACCEPT), kept.toString());
        }
    }

    private static void keep(String parameter, String delimiter, StringBuilder kept) {
        String text = parameter.strip().toLowerCase(Locale.ROOT);
        if (text.startsWith("charset")) {
            String after = text.substring("charset".length()).strip();
            String value =
                    after.startsWith("=") ? after.substring(1).replace("\"", "").strip() : "";
            if (after.startsWith("=") && !value.equals("utf-8") && !value.equals("utf8")) {
                // The delimiter before it is removed too; the one after it takes its place.
                kept.setLength(Math.max(0, kept.length() - 1));
                kept.append(delimiter);
                return;
            }
        }
        kept.append(parameter).append(delimiter);
    }

    private static @Nullable String joined(Headers request, String name) {
        return request.contains(name) ? String.join(",", request.all(name)) : null;
    }

    /** As the client wrote it. */
    private static String name(Headers headers, String name) {
        for (int i = 0; i < headers.size(); i++) {
            if (HeaderNames.equal(headers.name(i), name)) {
                return headers.name(i);
            }
        }
        return name;
    }
}
