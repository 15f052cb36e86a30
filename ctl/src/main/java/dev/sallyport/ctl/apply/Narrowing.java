package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * What a network policy that changes lets through before and after. Rules are the same when they mean the same; one that
 * is another counts as closed and opened.
 *
 * @param closes whether it lets something through that it will not
 * @param opens whether it will let something through that it does not
 * @param body the policy as it will be, with what it has and will have alone
 */
record Narrowing(boolean closes, boolean opens, ObjectNode body) {

    private static final ObjectKind KIND = ObjectKind.NETWORK_POLICY;
    private static final String RULES = "rules";
    private static final String ACTIVE = "active";

    /** Of a policy that is configured. */
    static Narrowing of(Change change) {
        ObjectNode wanted = Objects.requireNonNull(change.manifest()).fields();
        ObjectNode before = Comparison.meaning(KIND, Objects.requireNonNull(change.present()));
        ObjectNode after = Comparison.meaning(KIND, wanted);
        boolean was = before.path(ACTIVE).asBoolean();
        boolean willBe = after.path(ACTIVE).asBoolean();
        boolean sameProxies = set(before, "match_tags").equals(set(after, "match_tags"));
        Set<JsonNode> had = set(before, RULES);
        Set<JsonNode> has = set(after, RULES);
        boolean kept = was && willBe && sameProxies;
        boolean closes = was && !had.isEmpty() && !(kept && has.containsAll(had));
        boolean opens = willBe && !has.isEmpty() && !(kept && had.containsAll(has));
        return new Narrowing(
                closes, opens, kept ? common(wanted, had) : wanted.deepCopy().put(ACTIVE, false));
    }

    private static Set<JsonNode> set(ObjectNode policy, String field) {
        Set<JsonNode> set = new HashSet<>();
        policy.path(field).forEach(set::add);
        return set;
    }

    private static ObjectNode common(ObjectNode wanted, Set<JsonNode> had) {
        ObjectNode body = wanted.deepCopy();
        ArrayNode common = body.putArray(RULES);
        for (JsonNode rule : wanted.path(RULES)) {
            if (rule instanceof ObjectNode object
                    && had.contains(Comparison.meaning(KIND, wrapped(object))
                            .path(RULES)
                            .path(0))) {
                common.add(rule);
            }
        }
        return body;
    }

    private static ObjectNode wrapped(ObjectNode rule) {
        ObjectNode policy = rule.objectNode();
        policy.putArray(RULES).add(rule);
        return policy;
    }
}
