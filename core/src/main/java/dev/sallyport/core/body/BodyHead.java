package dev.sallyport.core.body;

import dev.sallyport.core.http.HeaderBlock;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a body that the message's head declares.
 *
 * @param declaredLength -1 when not known
 * @param contentEncoding the list of codings, or null
 * @param streamed whether the receiver acts on each piece as it arrives, so that nothing may be held back
 */
record BodyHead(long declaredLength, @Nullable String contentEncoding, boolean streamed) {

    private static final String[] STREAMED = {
        "text/event-stream",
        "application/grpc",
        "application/connect+",
        "application/x-ndjson",
        "application/json-seq",
        "multipart/x-mixed-replace"
    };

    static BodyHead of(HeaderBlock head, long declaredLength) {
        String coding = head.first("Content-Encoding");
        if (coding != null && head.count("Content-Encoding") > 1) {
            coding = String.join(",", head.all("Content-Encoding"));
        }
        return new BodyHead(declaredLength, coding, isStreamed(head.first("Content-Type")));
    }

    private static boolean isStreamed(@Nullable String contentType) {
        if (contentType != null) {
            for (String type : STREAMED) {
                if (contentType.regionMatches(true, 0, type, 0, type.length())) {
                    return true;
                }
            }
        }
        return false;
    }
}
