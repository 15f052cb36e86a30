package dev.sallyport.sources.vault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.SecretException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The fields of an item. A reference without a section means a field outside any section; if there is none, a field
 * inside one.
 */
final class ItemFields {

    private final JsonNode item;
    private final Map<String, String> sectionLabels = new HashMap<>();

    private ItemFields(JsonNode item) {
        this.item = item;
        for (JsonNode section : item.path("sections")) {
            sectionLabels.put(section.path("id").asText(), section.path("label").asText());
        }
    }

    /** The value of the field that the reference names. */
    static String value(JsonNode item, SecretReference reference) throws SecretException {
        JsonNode field = new ItemFields(item).field(reference);
        if (field == null) {
            String where = reference.section().isEmpty() ? "" : " in a section \"" + reference.section() + "\"";
            throw new SecretException("the item has no field \"" + reference.field() + "\"" + where);
        }
        JsonNode value = field.path("value");
        if (!value.isTextual()) {
            throw new SecretException("the field \"" + reference.field() + "\" has no value");
        }
        return value.textValue();
    }

    private @Nullable JsonNode field(SecretReference reference) throws SecretException {
        String section = reference.section();
        if (section.isEmpty()) {
            JsonNode outside = named(reference.field(), field -> !inSection(field));
            return outside != null ? outside : named(reference.field(), this::inSection);
        }
        JsonNode exact = named(reference.field(), field -> inSection(field, section, String::equals));
        return exact != null
                ? exact
                : named(reference.field(), field -> inSection(field, section, String::equalsIgnoreCase));
    }

    private @Nullable JsonNode named(String name, Predicate<JsonNode> place) throws SecretException {
        return NameSelector.among(item.path("fields"), place)
                .matching(
                        field -> is(field, name, String::equals),
                        field -> is(field, name, String::equalsIgnoreCase),
                        name,
                        "field");
    }

    private static boolean is(JsonNode field, String name, BiPredicate<String, String> same) {
        return same.test(field.path("id").asText(), name)
                || same.test(field.path("label").asText(), name);
    }

    private boolean inSection(JsonNode field) {
        return field.path("section").hasNonNull("id");
    }

    private boolean inSection(JsonNode field, String name, BiPredicate<String, String> same) {
        JsonNode section = field.path("section");
        String id = section.path("id").asText();
        String label =
                section.hasNonNull("label") ? section.path("label").asText() : sectionLabels.getOrDefault(id, "");
        return inSection(field) && (same.test(id, name) || same.test(label, name));
    }
}
