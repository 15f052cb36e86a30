package dev.sallyport.control.api;

import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Opaque cursors: the last row of a page, bound to the order and the filters of its list. */
final class Cursors {

    private static final int BOUND = 12;

    private Cursors() {}

    /**
     * The cursor after a row.
     *
     * @param list all that the cursor is bound to
     */
    static String after(PageRequest.Position position, String list) {
        String name = position.name();
        String text = bound(list) + position.time() + "." + position.id() + (name == null ? "" : "." + name);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The row of a cursor; null for none, 422 for one of another list. */
    static PageRequest.@Nullable Position position(@Nullable String cursor, String list) {
        if (cursor == null) {
            return null;
        }
        try {
            String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
            String[] parts = text.substring(Math.min(BOUND, text.length())).split("\\.", 3);
            if (parts.length >= 2 && text.startsWith(bound(list)) && isId(parts[1])) {
                return new PageRequest.Position(
                        Long.parseLong(parts[0]), parts.length == 3 ? parts[2] : null, parts[1]);
            }
        } catch (IllegalArgumentException e) {
            throw unknown();
        }
        throw unknown();
    }

    private static boolean isId(String text) {
        int prefix = text.length() - Ids.LENGTH;
        return prefix > 0 && Ids.isWellFormed(text.substring(0, prefix), text);
    }

    static Refusal unknown() {
        return Refusal.invalid(
                "cursor",
                "not a cursor of this list with this order and these filters (expected: the one that its last page gave, with the same ones)");
    }

    private static String bound(String list) {
        return Tokens.hash(list).substring(0, BOUND);
    }
}
