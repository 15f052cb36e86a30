package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Trace;
import java.util.function.IntPredicate;

/**
 * Says which placeholders in one body are swapped, while it streams. The annotation is written when the first is: by then
 * the request has been judged, but its audit record is not yet given away.
 */
final class BodySwap implements IntPredicate {

    private final Plan plan;
    private final Values values;
    private final int layer;
    private final Target target;
    private final Uses uses;
    private final Trace trace;

    BodySwap(Plan plan, Values values, int layer, Target target, Uses uses, Trace trace) {
        this.plan = plan;
        this.values = values;
        this.layer = layer;
        this.target = target;
        this.uses = uses;
        this.trace = trace;
    }

    @Override
    public boolean test(int token) {
        Replacement chosen = plan.choose(token, Place.BODY, "", target);
        if (chosen == null || chosen.layer() != layer) {
            return false;
        }
        if (!values.has(chosen)) {
            // The body was searched before it was let go; without a value nothing may go on.
            throw new IllegalStateException("no value for a placeholder in the body");
        }
        if (uses.add(chosen.secret().name(), "body")) {
            uses.annotate(trace, "swapped");
        }
        return true;
    }
}
