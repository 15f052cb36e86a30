package dev.sallyport.core.http;

import java.util.List;

/** Removes what belongs to one connection only (RFC 9110, 7.6.1). Runs before the pipeline, in both directions. */
public final class HopByHop {

    private static final List<String> FIELDS = List.of(
            "Connection",
            "Proxy-Connection",
            "Keep-Alive",
            "Proxy-Authenticate",
            "Proxy-Authorization",
            "Proxy-Authentication-Info",
            "Trailer",
            "Transfer-Encoding",
            "Upgrade");

    private HopByHop() {}

    /** Removes the fields, and those that {@code Connection} names; {@code TE: trailers} is kept (RFC 9110, 10.1.4). */
    public static void strip(HeaderBlock headers) {
        for (int i = headers.indexOf("Connection", 0); i >= 0; i = headers.indexOf("Connection", 0)) {
            String named = headers.value(i);
            headers.removeAt(i);
            removeNamed(headers, named);
        }
        if (headers.hasToken("TE", "trailers")) {
            headers.replace(headers.name(headers.indexOf("TE", 0)), List.of("trailers"));
        } else {
            headers.removeAll("TE");
        }
        for (String field : FIELDS) {
            headers.removeAll(field);
        }
    }

    /** End-to-end framing and routing fields stay, whatever {@code Connection} says: removing them is an attack. */
    private static void removeNamed(HeaderBlock headers, String list) {
        for (String item : list.split(",", -1)) {
            String name = item.strip();
            if (!name.isEmpty() && !isProtected(name)) {
                headers.removeAll(name);
            }
        }
    }

    private static boolean isProtected(String name) {
        return name.equalsIgnoreCase("Connection")
                || name.equalsIgnoreCase("Host")
                || name.equalsIgnoreCase("Content-Length")
                || name.equalsIgnoreCase("TE")
                || name.equalsIgnoreCase("Transfer-Encoding");
    }
}
