package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.text.Document;
import org.jspecify.annotations.Nullable;

/**
 * An object as a file wants it.
 *
 * @param name what identifies it; empty for the egress policy
 * @param fields those of the API, without the value
 * @param value where the value is read; null for none
 * @param document where it stands
 */
record Manifest(
        ObjectKind kind,
        String name,
        ObjectNode fields,
        @Nullable ValueSource value,
        Document document) {

    String label() {
        return kind.label(name);
    }

    /** {@code FILE:LINE}. */
    String place() {
        return document.place("");
    }
}
