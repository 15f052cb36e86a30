package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.toolkit.coding.Codings;
import java.util.List;
import java.util.function.Consumer;

/**
 * Puts right what origins send that no standard asks for and that every client takes, before anybody else sees it, so that
 * it is not handed on (docs/spec/decisions.md, section 20). What was put right stands in {@link ResponseMessage#tolerated}.
 */
final class OriginLeniency {

    private static final String CONTENT_ENCODING = "Content-Encoding";
    private static final String TRANSFER_ENCODING = "Transfer-Encoding";
    private static final String CONTENT_LENGTH = "Content-Length";
    private static final String CHUNKED = "chunked";
    private static final String IDENTITY = "identity";
    private static final int LAST_STATUS = 599;

    private OriginLeniency() {}

    /** Puts a final head right. */
    static ResponseMessage applyTo(ResponseMessage head) {
        if (head.status() > LAST_STATUS) {
            head.tolerate("status_range");
        }
        HeaderBlock headers = head.headers();
        int at = headers.indexOf(CONTENT_ENCODING, 0);
        if (at >= 0) {
            cleanCodings(head, headers, at);
        }
        return head;
    }

    /**
     * Leaves one framing in a head over HTTP/1.1: {@code chunked} once where it stands more than once, and no length beside
     * it (RFC 9112, 6.1 and 6.3). {@code identity}, which was a transfer coding once (RFC 2616, 3.6), and empty members of the
     * list say nothing. Other transfer codings stay as they are, and are refused.
     *
     * @param tolerated receives the codes
     */
    static void frameOnce(HeaderBlock headers, Consumer<String> tolerated) {
        if (!headers.contains(TRANSFER_ENCODING)) {
            return;
        }
        List<String> codings = headers.all(TRANSFER_ENCODING);
        if (codings.size() > 1 || !codings.getFirst().equalsIgnoreCase(CHUNKED)) {
            int chunked = 0;
            String[] all = String.join(",", codings).split(",", -1);
            for (String coding : all) {
                String token = coding.strip();
                if (token.equalsIgnoreCase(CHUNKED)) {
                    chunked++;
                } else if (!token.isEmpty() && !token.equalsIgnoreCase(IDENTITY)) {
                    return;
                }
            }
            if (chunked < all.length) {
                tolerated.accept("coding_token");
            }
            if (chunked == 0) {
                headers.removeAll(TRANSFER_ENCODING);
                return;
            }
            headers.replace(TRANSFER_ENCODING, List.of(CHUNKED));
            if (chunked > 1) {
                tolerated.accept("chunked_twice");
            }
        }
        if (headers.removeAll(CONTENT_LENGTH)) {
            tolerated.accept("length_beside_chunked");
        }
    }

    private static void cleanCodings(ResponseMessage head, HeaderBlock headers, int first) {
        int at = first;
        while (at >= 0) {
            String sent = headers.value(at);
            String clean = Codings.withoutOtherTokens(sent);
            int next = at + 1;
            if (clean.isEmpty() || !clean.equals(sent)) {
                head.tolerate("coding_token");
                if (clean.isEmpty()) {
                    headers.removeAt(at);
                    next = at;
                } else {
                    headers.setValue(at, clean);
                }
            }
            at = headers.indexOf(CONTENT_ENCODING, next);
        }
    }
}
