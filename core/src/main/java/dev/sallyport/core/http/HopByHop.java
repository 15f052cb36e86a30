package dev.sallyport.core.http;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Removes the fields of a single connection (RFC 9110, 7.6.1). Runs before the pipeline, in both directions. */
public final class HopByHop {

    /** Announces trailer fields. */
    public static final String TRAILER = "Trailer";

    private static final List<String> FIELDS = List.of(
            "Connection",
            "Proxy-Connection",
            "Keep-Alive",
            "Proxy-Authenticate",
            "Proxy-Authorization",
            "Proxy-Authentication-Info",
            "Transfer-Encoding",
            "Upgrade");

    private HopByHop() {}

    /** Removes the fields, and those that {@code Connection} names; {@code TE: trailers} is kept (RFC 9110, 10.1.4). */
    public static void strip(HeaderBlock headers) {
        stripButTrailer(headers);
        headers.removeAll(TRAILER);
    }

    /** As {@link #strip}, but keeps {@code Trailer} of a message whose trailers may be forwarded (RFC 9110, 6.6.2). */
    public static void stripButTrailer(HeaderBlock headers) {
        removeNamed(headers);
        if (headers.hasToken("TE", "trailers")) {
            headers.replace(headers.name(headers.indexOf("TE", 0)), List.of("trailers"));
        } else {
            headers.removeAll("TE");
        }
        for (String field : FIELDS) {
            headers.removeAll(field);
        }
    }

    /** One pass, however many names there are: a head that consists of names must not cost more than another. */
    private static void removeNamed(HeaderBlock headers) {
        Set<String> named = null;
        for (int i = headers.indexOf("Connection", 0); i >= 0; i = headers.indexOf("Connection", i + 1)) {
            for (String item : headers.value(i).split(",", -1)) {
                String name = item.strip();
                if (!name.isEmpty() && !isProtected(name)) {
                    named = named == null ? new TreeSet<>(String.CASE_INSENSITIVE_ORDER) : named;
                    named.add(name);
                }
            }
        }
        for (int i = headers.size() - 1; named != null && i >= 0; i--) {
            if (named.contains(headers.name(i))) {
                headers.removeAt(i);
            }
        }
    }

    /** End-to-end framing and routing fields stay, whatever {@code Connection} lists: removing them is an attack. */
    private static boolean isProtected(String name) {
        return name.equalsIgnoreCase("Connection")
                || name.equalsIgnoreCase("Host")
                || name.equalsIgnoreCase("Content-Length")
                || name.equalsIgnoreCase("TE")
                || name.equalsIgnoreCase("Transfer-Encoding");
    }
}
