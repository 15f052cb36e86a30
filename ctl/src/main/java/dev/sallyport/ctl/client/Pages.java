package dev.sallyport.ctl.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.problem.Problem;
import dev.sallyport.ctl.text.Json;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Lists that come in pages (docs/spec/decisions.md, section 15a). */
public final class Pages {

    /** The largest page that every list has: VMs come in smaller ones than other objects. */
    private static final int LARGEST = 100;

    private Pages() {}

    /** Collects all kinds of rows. */
    public static ObjectNode collect(ApiClient api, Call call, @Nullable Integer limit, @Nullable String cursor)
            throws Problem, InterruptedException {
        return collect(api, call, limit, cursor, row -> true);
    }

    /**
     * Collects a paged list to one document of the same form.
     *
     * @param limit how many at most, or null for all; with fewer than there are, {@code cursor} says where to go on
     * @param cursor where to begin, or null
     * @param wanted which of them; others do not count
     */
    public static ObjectNode collect(
            ApiClient api, Call call, @Nullable Integer limit, @Nullable String cursor, Predicate<JsonNode> wanted)
            throws Problem, InterruptedException {
        ObjectNode all = Json.object();
        ArrayNode rows = all.putArray("data");
        String from = cursor;
        while (true) {
            int most = limit == null ? LARGEST : Math.min(LARGEST, limit - rows.size());
            JsonNode page = api.send(call.query("limit", String.valueOf(most)).query("cursor", from))
                    .document();
            for (JsonNode row : page.path("data")) {
                if (wanted.test(row)) {
                    rows.add(row);
                }
            }
            boolean more =
                    page.path("has_more").asBoolean() && page.path("cursor").isTextual();
            from = more ? page.path("cursor").asText() : null;
            if (!more || (limit != null && rows.size() >= limit)) {
                return all.put("has_more", more).put("cursor", from);
            }
        }
    }
}
