package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The kinds of objects that files may hold. Their words are the resources of the administrative record. */
public enum ObjectKind {
    /** The one egress policy of the account. */
    EGRESS_POLICY("/v1/egress/policy", ""),
    /** A destination that is let through. It cannot be changed in place. */
    EGRESS_RULE("/v1/egress/rules", "name"),
    /** A variable of sandboxes. */
    ENVIRONMENT_VARIABLE("/v1/env", "key"),
    /** A stored secret. */
    SECRET("/v1/secrets", "name"),
    /** A secret policy. */
    SECRET_POLICY("/v1/policies/secrets", "name"),
    /** An MCP policy. */
    MCP_POLICY("/v1/policies/mcp", "name"),
    /** A network policy. */
    NETWORK_POLICY("/v1/policies/network", "name");

    private final String path;
    private final String nameField;

    ObjectKind(String path, String nameField) {
        this.path = path;
        this.nameField = nameField;
    }

    /** As files have it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Where they are in the API. */
    String path() {
        return path;
    }

    /** The field that tells one from another; empty where there is one only. */
    String nameField() {
        return nameField;
    }

    boolean isSingle() {
        return nameField.isEmpty();
    }

    /** Whether it is one of the three kinds of policies, which have an {@code ETag}. */
    boolean isPolicy() {
        return path.startsWith("/v1/policies/");
    }

    /** Whether guests get something of it. */
    boolean reachesGuests() {
        return this == ENVIRONMENT_VARIABLE || this == SECRET;
    }

    /** What identifies an object as the API has it: its name, or its identifier where it has none. */
    String nameOf(JsonNode object) {
        if (isSingle()) {
            return "";
        }
        JsonNode name = object.path(nameField);
        return name.isTextual() ? name.asText() : object.path("id").asText();
    }

    /** How messages name an object. */
    String label(String name) {
        return isSingle() ? word() : word() + "/" + name;
    }

    /** Of this word, or null. */
    static @Nullable ObjectKind of(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.word().equals(word))
                .findFirst()
                .orElse(null);
    }

    /** All words, for messages. */
    static String words() {
        return Arrays.stream(values()).map(ObjectKind::word).collect(Collectors.joining(", "));
    }
}
