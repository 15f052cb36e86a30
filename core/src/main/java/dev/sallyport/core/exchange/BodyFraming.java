package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import java.util.List;

/**
 * Makes the header fields of a message match its actual body (docs/design.md, section 4, rule 7).
 */
final class BodyFraming {

    /** Digests of the original body (RFC 9530 and its predecessors). */
    private static final List<String> DIGESTS = List.of("Content-MD5", "Digest", "Content-Digest", "Repr-Digest");

    private BodyFraming() {}

    /** Sets the length of a request that has a body; {@code length} is -1 when unknown. */
    static void apply(RequestMessage head, long length, boolean altered) {
        if (altered || head.length() != length) {
            head.length(length);
            apply(head.headers(), length, altered);
        }
    }

    /** Sets the length of a response that has a body; {@code length} is -1 when unknown. */
    static void apply(ResponseMessage head, long length, boolean altered) {
        if (altered || head.length() != length) {
            head.length(length);
            apply(head.headers(), length, altered);
        }
    }

    private static void apply(HeaderBlock headers, long length, boolean altered) {
        length(headers, length);
        if (altered) {
            for (String digest : DIGESTS) {
                headers.removeAll(digest);
            }
        }
    }

    /** Sets the one {@code Content-Length} line, or removes it when the length is -1. */
    static void length(HeaderBlock headers, long length) {
        int line = headers.indexOf("Content-Length", 0);
        if (length < 0) {
            headers.removeAll("Content-Length");
        } else if (line < 0) {
            headers.append("Content-Length", Long.toString(length));
        } else {
            headers.setValue(line, Long.toString(length));
        }
    }
}
