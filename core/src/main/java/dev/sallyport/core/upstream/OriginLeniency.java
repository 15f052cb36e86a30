package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.toolkit.coding.Codings;

/**
 * Puts right what origins send that no standard asks for and that every client takes, before anybody else sees it, so that
 * it is not handed on (docs/spec/decisions.md, section 20). What was put right stands in {@link ResponseMessage#tolerated}.
 */
final class OriginLeniency {

    private static final String CONTENT_ENCODING = "Content-Encoding";

    private OriginLeniency() {}

    /** Puts a final head right. */
    static ResponseMessage applyTo(ResponseMessage head) {
        HeaderBlock headers = head.headers();
        int at = headers.indexOf(CONTENT_ENCODING, 0);
        if (at >= 0) {
            cleanCodings(head, headers, at);
        }
        return head;
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
