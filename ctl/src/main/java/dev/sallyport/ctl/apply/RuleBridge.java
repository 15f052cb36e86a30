package dev.sallyport.ctl.apply;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.ctl.text.Json;
import java.time.Duration;
import java.time.Instant;

/**
 * Egress rules cannot be changed in place. While one is replaced by another for the same destination, a rule without a
 * name keeps the destination open. It is known by its comment: what a run that was ended has left, a later one removes.
 */
final class RuleBridge {

    private static final String COMMENT = "sallyport ctl apply: while the rule of this destination is replaced";

    /** Longer than any run needs one: a younger one may be that of somebody else's run. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private RuleBridge() {}

    /** A rule for the destination of another. */
    static ObjectNode like(ObjectNode rule) {
        ObjectNode bridge = Json.object().put("comment", COMMENT);
        for (String field : new String[] {"host", "cidr"}) {
            if (rule.hasNonNull(field)) {
                bridge.set(field, rule.get(field));
            }
        }
        return bridge;
    }

    /** Whether an object that is in no file is one. */
    static boolean isOne(Change change) {
        ObjectNode present = change.present();
        return change.kind() == ObjectKind.EGRESS_RULE
                && present != null
                && present.path("name").isNull()
                && present.path("comment").asText().equals(COMMENT);
    }

    /** Whether one is left of a run that was ended. */
    static boolean isLeft(Change bridge, Instant now) {
        ObjectNode present = bridge.present();
        String made = present == null ? "" : present.path("created_at").asText();
        return Instant.parse(made).plus(LONGEST).isBefore(now);
    }
}
