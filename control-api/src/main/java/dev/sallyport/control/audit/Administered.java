package dev.sallyport.control.audit;

import dev.sallyport.control.model.Json;
import org.jspecify.annotations.Nullable;

/**
 * What was done to which resource, see {@link AdminEvent}.
 *
 * @param before the text of the resource in JSON, or null
 * @param after likewise
 */
public record Administered(
        String action,
        String resource,
        String resourceId,
        @Nullable String before,
        @Nullable String after) {

    /** A resource that was made. */
    public static Administered created(String resource, String id, Object after) {
        return new Administered("create", resource, id, null, Json.text(after));
    }

    /** A resource that was changed. */
    public static Administered updated(String resource, String id, Object before, Object after) {
        return new Administered("update", resource, id, Json.text(before), Json.text(after));
    }

    /** A resource that is gone. */
    public static Administered deleted(String resource, String id, Object before) {
        return new Administered("delete", resource, id, Json.text(before), null);
    }
}
