package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.Visibility;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Swaps placeholders, then injects. A head is looked through once, whatever the number of entries; a body is rewritten as
 * it streams, and read only when a verdict depends on what is in it.
 */
final class Secrets implements InlineTransform {

    private final Plan plan;
    private final Redactions redactions;

    Secrets(Plan plan, Redactions redactions) {
        this.plan = plan;
        this.redactions = redactions;
    }

    @Override
    public Decision decide(RequestContext context) {
        return judge(context, null);
    }

    /** @param inBody the placeholders that the body has, or null while nobody has looked */
    private Decision judge(RequestContext context, @Nullable BitSet inBody) {
        if (context.visibility() != Visibility.FULL) {
            return hostOnly(context);
        }
        Values values = plan.values();
        while (true) {
            HeadSwap swap = HeadSwap.begin(plan, values, context);
            try {
                swap.run();
                boolean body = plan.bodies().mayMatch(context) && hasBody(context.head());
                if (!swap.stale() && !(body && staleBodies(context, values))) {
                    return judge(context, values, swap, body, inBody);
                }
            } finally {
                swap.clear();
            }
            values = plan.refresh();
        }
    }

    /** There is nothing to swap and nowhere to inject; but what must be there cannot be seen, and so is not there. */
    private Decision hostOnly(RequestContext context) {
        if (plan.required().mayMatch(context)) {
            for (Replacement entry : plan.required().entries()) {
                if (entry.matches(context)) {
                    return Refusals.missing(entry);
                }
            }
        }
        return Decision.proceed();
    }

    private Decision judge(
            RequestContext context, Values values, HeadSwap swap, boolean body, @Nullable BitSet inBody) {
        Replacement unavailable = swap.unavailable();
        if (unavailable != null) {
            return Refusals.unavailable(unavailable);
        }
        if (swap.unusable()) {
            return Refusals.unusable();
        }
        Decision refusal = require(context, swap, inBody);
        if (refusal == null && body) {
            refusal = withoutValue(context, values, inBody);
        }
        if (refusal == null) {
            refusal = inject(context, swap);
        }
        if (refusal != null) {
            return refusal;
        }
        if (swap.swapped() != null) {
            swap.uses().annotate(context.trace(), "swapped");
        }
        if (body) {
            rewrite(context, values, swap);
        }
        return redactions.proceed(context, swap.result(), swap.swapped());
    }

    private static boolean hasBody(RequestHead head) {
        return head.contentLength().orElse(1) != 0;
    }

    private boolean staleBodies(RequestContext context, Values values) {
        for (int i = 0; i < plan.bodies().entries().size(); i++) {
            Replacement entry = plan.bodies().entries().get(i);
            if (values.stale(entry) && entry.matches(context)) {
                return true;
            }
        }
        return false;
    }

    /** Adds the injections; a refusal when one is not possible. */
    private @Nullable Decision inject(RequestContext context, HeadSwap swap) {
        if (!plan.injections().mayMatch(context)) {
            return null;
        }
        Uses injected = new Uses();
        for (Injection injection : plan.injections().entries()) {
            if (!injection.matches(context)) {
                continue;
            }
            if (!injection.secret().available()) {
                return Refusals.unavailable(injection);
            }
            String text = injection.text();
            if (!injection.intoHeader()) {
                String query = swap.query() == null ? context.head().query() : swap.query();
                swap.query(QueryParameters.set(query, injection.name(), text));
            } else if (Refusals.breaksLine(text)) {
                return Refusals.unusable();
            } else {
                swap.edits().setHeader(injection.name(), text);
            }
            injected.add(injection.secret().name(), injection.location());
        }
        if (!injected.isEmpty()) {
            injected.annotate(context.trace(), "injected");
        }
        return null;
    }

    /** A refusal, or a look into the body, when a placeholder that must be there has not been found. */
    private @Nullable Decision require(RequestContext context, HeadSwap swap, @Nullable BitSet inBody) {
        if (!plan.required().mayMatch(context)) {
            return null;
        }
        boolean look = false;
        for (Replacement entry : plan.required().entries()) {
            if (swap.found(entry.token()) || !entry.matches(context)) {
                continue;
            }
            boolean scansBody = entry.config().matchBody() && hasBody(context.head());
            if (!scansBody || (inBody != null && !inBody.get(entry.token()))) {
                return Refusals.missing(entry);
            }
            look |= inBody == null;
        }
        return look ? read() : null;
    }

    /** A refusal, or a look into the body, when an entry that scans it has no value. */
    private @Nullable Decision withoutValue(RequestContext context, Values values, @Nullable BitSet inBody) {
        for (Replacement entry : plan.bodies().entries()) {
            if (values.has(entry) || !entry.matches(context)) {
                continue;
            }
            if (inBody == null) {
                return read();
            }
            if (inBody.get(entry.token())) {
                return Refusals.unavailable(entry);
            }
        }
        return null;
    }

    private Decision read() {
        return Decision.read(Buffered.whole(), RequestStep.inline(this::judgeBody));
    }

    private Decision judgeBody(RequestContext context) {
        return judge(
                context,
                BodySearch.placeholders(
                        context.body(), contentType(context), plan.values().layer(0)));
    }

    private void rewrite(RequestContext context, Values values, HeadSwap swap) {
        for (int layer = 0; layer < values.layers(); layer++) {
            BodySwap chooser = new BodySwap(plan, values, layer, swap.target(), swap.uses(), context.trace());
            swap.edits().rewriteBody(values.layer(layer).body(contentType(context), chooser));
        }
    }

    private static @Nullable String contentType(RequestContext context) {
        return context.head().headers().first("Content-Type");
    }

    @Override
    public String toString() {
        return "Secrets[]";
    }
}
