package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.text.Json;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares an object as a file wants it with the one that is there. What the API adds, and what means the same as its
 * absence, is no difference: else a file that was applied would be applied for ever.
 */
final class Comparison {

    private static final Set<String> OF_SERVER = Set.of("id", "created_at", "updated_at", "proxy_value");

    /** False is the same as absence. */
    static final String PLAINTEXT = "allow_plaintext";

    /** Fields that are dropped with a secret policy of the other mode. */
    private static final Map<String, String> BLOCK_OF_OTHER_MODE =
            Map.of("inject", "replace_config", "replace", "inject_config");

    /** The members of a source, by its type; the API drops others. */
    private static final Map<String, Set<String>> OF_SOURCE = Map.of(
            "env", Set.of("type", "var", "json_key"),
            "cloud_sm", Set.of("type", "secret_id", "region", "ttl", "json_key"),
            "cloud_ssm", Set.of("type", "name", "region", "ttl", "with_decryption", "json_key"));

    /** Where null and an empty list are values of somebody else, not absence. */
    private static final Set<String> AS_THEY_ARE = Set.of("equals", "in");

    private Comparison() {}

    /** The fields that differ, in the order of the file, then those that only the present object has. */
    static List<FieldChange> of(ObjectKind kind, ObjectNode wanted, ObjectNode present) {
        List<FieldChange> changes = new ArrayList<>();
        compare("", meaning(kind, present), meaning(kind, wanted), changes);
        return changes;
    }

    /** What an object means: without what the API adds, and what means the same as its absence. */
    static ObjectNode meaning(ObjectKind kind, ObjectNode object) {
        ObjectNode meant = object.deepCopy();
        meant.remove(OF_SERVER);
        switch (kind) {
            case SECRET -> {
                if (!meant.hasNonNull("hosts")) {
                    meant.putArray("hosts").add("*");
                }
            }
            case SECRET_POLICY -> secretPolicy(meant);
            case MCP_POLICY, NETWORK_POLICY -> active(meant);
            case EGRESS_POLICY, EGRESS_RULE, ENVIRONMENT_VARIABLE -> {}
        }
        if (!meant.path(PLAINTEXT).asBoolean()) {
            meant.remove(PLAINTEXT);
        }
        return withoutAbsence(meant);
    }

    private static void active(ObjectNode policy) {
        if (!policy.hasNonNull("active")) {
            policy.put("active", true);
        }
    }

    private static void secretPolicy(ObjectNode policy) {
        active(policy);
        String other = BLOCK_OF_OTHER_MODE.get(policy.path("mode").asText());
        if (other != null) {
            policy.remove(other);
        }
        if (policy.get("source") instanceof ObjectNode source) {
            if (!source.hasNonNull("type")) {
                source.put("type", "env");
            }
            Set<String> members = OF_SOURCE.get(source.path("type").asText());
            if (members != null) {
                source.retain(members);
            }
        }
    }

    /** Without nulls and empty lists, which mean what is not there. */
    private static ObjectNode withoutAbsence(ObjectNode object) {
        ObjectNode meant = Json.object();
        object.properties().forEach(field -> {
            JsonNode value = field.getValue();
            if (AS_THEY_ARE.contains(field.getKey())) {
                meant.set(field.getKey(), value);
            } else if (!value.isNull() && !(value.isArray() && value.isEmpty())) {
                meant.set(field.getKey(), withoutAbsence(value));
            }
        });
        return meant;
    }

    private static JsonNode withoutAbsence(JsonNode value) {
        if (value instanceof ObjectNode object) {
            return withoutAbsence(object);
        }
        if (value.isArray()) {
            var list = Json.array();
            value.forEach(element -> list.add(withoutAbsence(element)));
            return list;
        }
        return value;
    }

    private static void compare(
            String field, @Nullable JsonNode before, @Nullable JsonNode after, List<FieldChange> changes) {
        if (before instanceof ObjectNode one && after instanceof ObjectNode other) {
            Set<String> names = new LinkedHashSet<>();
            other.fieldNames().forEachRemaining(names::add);
            one.fieldNames().forEachRemaining(names::add);
            for (String name : names) {
                compare(field.isEmpty() ? name : field + "." + name, one.get(name), other.get(name), changes);
            }
        } else if (before != null && after != null && before.isArray() && after.isArray()) {
            for (int i = 0; i < Math.max(before.size(), after.size()); i++) {
                compare(field + "[" + i + "]", before.get(i), after.get(i), changes);
            }
        } else if (before == null || !before.equals(after)) {
            changes.add(new FieldChange(field, before, after, false));
        }
    }
}
