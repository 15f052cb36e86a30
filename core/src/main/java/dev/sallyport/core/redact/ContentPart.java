package dev.sallyport.core.redact;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.toolkit.coding.Codings;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A part of a content (RFC 9110, 14): a value may reach over its edges. An edge is that of the whole where
 * {@code Content-Range} says so.
 *
 * @param cutBefore whether something stands before it
 * @param cutAfter whether something follows it
 * @param counted whether its length is declared in bytes
 * @param searchable false where the edges cannot be searched: several parts in one body, a piece of a coded content, and
 *     pieces so short that a value could be fetched in them one by one
 */
record ContentPart(boolean cutBefore, boolean cutAfter, boolean counted, boolean searchable) {

    /** The shortest part in bytes. */
    static final int SHORTEST = 16;

    private static final int PARTIAL_CONTENT = 206;
    private static final int RANGE_NOT_SATISFIABLE = 416;
    private static final String CONTENT_RANGE = "Content-Range";
    private static final String MULTIPART = "multipart/";

    private static final String BYTERANGES = "multipart/byteranges";

    /** For the oldest clients. */
    private static final String OLD_BYTERANGES = "multipart/x-byteranges";

    /** Some origins write another character than a space behind the unit. */
    private static final Pattern BYTES = Pattern.compile(
            "\\s*bytes[\\s=:]+(?:(\\d{1,18})\\s*-\\s*(\\d{1,18})|\\*)\\s*/\\s*(\\d{1,18}|\\*)\\s*",
            Pattern.CASE_INSENSITIVE);

    private static final ContentPart UNSEARCHABLE = new ContentPart(true, true, true, false);

    /** The part in a response; null when its content is whole. */
    static @Nullable ContentPart of(ResponseMessage head) {
        HeaderBlock fields = head.headers();
        if (areSeveral(head, fields.first("Content-Type"))) {
            return UNSEARCHABLE;
        }
        if (!fields.contains(CONTENT_RANGE)) {
            // No origin cuts between bytes without saying where; some say 206 for other reasons.
            return head.status() == PARTIAL_CONTENT ? new ContentPart(true, true, false, true) : null;
        }
        List<String> ranges = fields.all(CONTENT_RANGE);
        String range = ranges.getFirst();
        if (ranges.size() > 1) {
            return UNSEARCHABLE;
        }
        if (!range.strip().regionMatches(true, 0, "bytes", 0, "bytes".length())) {
            return new ContentPart(true, true, false, true);
        }
        Matcher bytes = BYTES.matcher(range);
        if (!bytes.matches()) {
            return UNSEARCHABLE;
        }
        if (bytes.group(1) == null) {
            // The length of the whole, beside a message that there is no such part.
            return head.status() == RANGE_NOT_SATISFIABLE ? null : UNSEARCHABLE;
        }
        boolean coded = fields.contains("Content-Encoding")
                && !Codings.parse(String.join(",", fields.all("Content-Encoding")))
                        .isIdentity();
        return of(Long.parseLong(bytes.group(1)), Long.parseLong(bytes.group(2)), bytes.group(3), coded);
    }

    /** Several parts stand for the content, under their name or, of a partial content, under any. */
    private static boolean areSeveral(ResponseMessage head, @Nullable String type) {
        if (type == null || !begins(type, MULTIPART)) {
            return false;
        }
        boolean unnamed = head.status() == PARTIAL_CONTENT && !head.headers().contains(CONTENT_RANGE);
        return unnamed || begins(type, BYTERANGES) || begins(type, OLD_BYTERANGES);
    }

    private static boolean begins(String type, String prefix) {
        return type.stripLeading().regionMatches(true, 0, prefix, 0, prefix.length());
    }

    private static @Nullable ContentPart of(long first, long last, String complete, boolean coded) {
        boolean cutBefore = first > 0;
        boolean cutAfter = complete.equals("*") || last + 1 != Long.parseLong(complete);
        if (!cutBefore && !cutAfter) {
            return null;
        }
        return new ContentPart(cutBefore, cutAfter, true, !coded && last - first + 1 >= SHORTEST);
    }
}
