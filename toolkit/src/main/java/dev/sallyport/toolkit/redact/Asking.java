package dev.sallyport.toolkit.redact;

import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Headers;
import dev.sallyport.toolkit.coding.Codings;
import java.util.ArrayList;
import java.util.List;

/** Sees to it that a response can be read: whole, and in a content coding that is known here. */
final class Asking {

    private static final String ACCEPT_ENCODING = "Accept-Encoding";
    private static final String IDENTITY = "identity";

    private Asking() {}

    /** Takes out of a request what would bring a part of a body (RFC 9110, 14.2) or an unknown coding. */
    static void restrict(Headers headers, Edits.Builder edits) {
        for (String range : List.of("Range", "If-Range")) {
            if (headers.contains(range)) {
                edits.removeHeader(range);
            }
        }
        List<String> lines = headers.all(ACCEPT_ENCODING);
        if (lines.isEmpty()) {
            return;
        }
        List<String> kept = new ArrayList<>(4);
        boolean dropped = false;
        for (String element : String.join(",", lines).split(",", -1)) {
            String coding = element.strip();
            if (isKnown(coding)) {
                kept.add(coding);
            } else {
                dropped |= !coding.isEmpty();
            }
        }
        if (dropped) {
            // An empty list would leave the choice to the origin in some minds; this says the same (RFC 9110, 12.5.3).
            edits.setHeader(name(headers), kept.isEmpty() ? IDENTITY : String.join(", ", kept));
        }
    }

    private static boolean isKnown(String element) {
        int semicolon = element.indexOf(';');
        String coding = (semicolon < 0 ? element : element.substring(0, semicolon)).strip();
        return coding.equalsIgnoreCase(IDENTITY)
                || (!coding.isEmpty() && Codings.parse(coding).known());
    }

    /** As the client wrote it. */
    private static String name(Headers headers) {
        for (int i = 0; i < headers.size(); i++) {
            if (headers.name(i).equalsIgnoreCase(ACCEPT_ENCODING)) {
                return headers.name(i);
            }
        }
        return ACCEPT_ENCODING;
    }
}
