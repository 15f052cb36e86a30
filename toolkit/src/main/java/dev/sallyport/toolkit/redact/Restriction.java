package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.Headers;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.headers.HeaderNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a request may ask for whose response is looked through: all of it, in a content coding and in characters that can be
 * read here. The engine sees to it before a request leaves; who signs fields does so before.
 */
public final class Restriction {

    private static final String ACCEPT = "Accept";
    private static final String ACCEPT_ENCODING = "Accept-Encoding";
    private static final String GRPC_ACCEPT_ENCODING = "grpc-accept-encoding";
    private static final String IDENTITY = "identity";

    /** A part of a body (RFC 9110, 14.2) may be a part of a value; characters are the origin's choice (12.5.2). */
    private static final List<String> DROPPED = List.of("Range", "If-Range", "Accept-Charset");

    /** What is done to the fields. */
    public interface Change {

        /** Takes all lines of a name out. */
        void remove(String name);

        /** Puts one line in the place of all lines of a name, which is as the client wrote it. */
        void set(String name, String value);
    }

    private Restriction() {}

    /** Makes the changes that it takes; none for most requests. */
    public static void of(Headers request, Change change) {
        for (String name : DROPPED) {
            if (request.contains(name)) {
                change.remove(name);
            }
        }
        codings(request, change);
        charsets(request, change);
        String type = request.first("Content-Type");
        if (type != null && type.regionMatches(true, 0, "application/grpc", 0, "application/grpc".length())) {
            String wanted = request.first(GRPC_ACCEPT_ENCODING);
            if (wanted != null && !wanted.equals(IDENTITY)) {
                change.set(name(request, GRPC_ACCEPT_ENCODING), IDENTITY);
            }
        }
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
            // An empty list would leave the choice to the origin in some minds; this says the same (RFC 9110, 12.5.3).
            change.set(name(request, ACCEPT_ENCODING), kept.isEmpty() ? IDENTITY : String.join(", ", kept));
        }
    }

    private static boolean isKnown(String element) {
        int semicolon = element.indexOf(';');
        String coding = (semicolon < 0 ? element : element.substring(0, semicolon)).strip();
        return coding.equalsIgnoreCase(IDENTITY)
                || (!coding.isEmpty() && Codings.parse(coding).known());
    }

    /** Takes {@code charset} parameters out of {@code Accept}, unless they ask for what is usual. */
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
                // The delimiter before it goes with it; the one behind it takes its place.
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
