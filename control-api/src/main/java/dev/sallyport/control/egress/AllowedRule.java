package dev.sallyport.control.egress;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.JsonSize;
import java.util.Comparator;

/**
 * An egress rule as pipelines have it.
 *
 * @param createdAt in milliseconds since the epoch
 * @param range whether it is for a range of addresses
 * @param json an element of the allowlist
 * @param nodes how many values and keys it has beside its first; see {@link JsonSize}
 */
public record AllowedRule(String id, long createdAt, boolean range, String json, int nodes) {

    /** The older first. */
    static final Comparator<AllowedRule> OLDER =
            Comparator.comparingLong(AllowedRule::createdAt).thenComparing(AllowedRule::id);

    /** The form of a rule. */
    public static AllowedRule of(EgressRule rule) {
        ObjectNode allowed = JsonNodeFactory.instance.objectNode();
        if (rule.host() != null) {
            allowed.put("host", rule.host());
        }
        if (rule.cidr() != null) {
            allowed.put("cidr", rule.cidr());
        }
        String json = Json.text(allowed);
        return new AllowedRule(
                rule.id(), rule.createdAt().toEpochMilli(), rule.cidr() != null, json, JsonSize.nodes(json));
    }
}
