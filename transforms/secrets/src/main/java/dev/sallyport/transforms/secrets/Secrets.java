package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.Visibility;
import dev.sallyport.toolkit.headers.FieldSyntax;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Swaps placeholders, then injects. A head is searched once, whatever the number of entries; a body is rewritten as it
 * streams, and read only when a verdict depends on its content.
 */
final class Secrets implements InlineTransform {

    private final Plan plan;

    Secrets(Plan plan) {
        this.plan = plan;
    }

    @Override
    public Decision decide(RequestContext context) {
        return judge(context, null);
    }

    /** @param read the content of the body, or null while it has not been read */
    private Decision judge(RequestContext context, @Nullable BodyContent read) {
        if (context.visibility() != Visibility.FULL) {
            return hostOnly(context);
        }
        HeadSwap swap = HeadSwap.begin(plan, context);
        try {
            swap.run();
            swap.annotateMisdirected();
            Decision refusal = refusal(context, swap, read);
            if (refusal != null) {
                return refusal;
            }
            swap.annotateSwapped();
            StreamEdits.edit(plan, context, swap, read);
            if (!plan.always().isEmpty()) {
                watch(context, swap);
            }
            return Decision.proceed(swap.result());
        } finally {
            swap.clear();
        }
    }

    /** Declares the credentials that are searched for although they are not sent. */
    private void watch(RequestContext context, HeadSwap swap) {
        for (ScopedEntry entry : plan.always()) {
            if (entry.secret().available() && entry.matches(context)) {
                swap.carry(entry.credential().current());
            }
        }
    }

    /**
     * There is nothing to swap and nowhere to inject, but a required placeholder cannot be seen and so counts as
     * missing.
     */
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

    /** A refusal, or a read of the body on which the verdict depends; null when the request may continue. */
    private @Nullable Decision refusal(RequestContext context, HeadSwap swap, @Nullable BodyContent read) {
        Replacement refusing = swap.refusing();
        Replacement unavailable = swap.unavailable();
        if (refusing != null) {
            return Refusals.misdirected(refusing);
        }
        if (unavailable != null) {
            return Refusals.unavailable(unavailable);
        }
        if (swap.tooLarge()) {
            return Refusals.headTooLarge();
        }
        if (swap.unusable()) {
            return Refusals.unusable();
        }
        Decision refusal = require(context, swap, read);
        if (refusal == null && plan.judgesBodies() && StreamEdits.hasBody(context.head())) {
            refusal = withoutValue(context, read);
            if (refusal == null) {
                refusal = misdirected(context, swap, read);
            }
        }
        return refusal == null ? inject(context, swap) : refusal;
    }

    /** The entries that inject, in order: the first that matches takes a place. */
    private List<Injection> injecting(RequestContext context) {
        if (!plan.contested()) {
            return plan.injections().entries();
        }
        UsageAnnotation skipped = new UsageAnnotation(UsageAnnotation.NOT_INJECTED);
        Map<String, Injection> first = new LinkedHashMap<>();
        for (Injection injection : plan.injections().entries()) {
            if (injection.matches(context) && first.putIfAbsent(injection.location(), injection) != null) {
                skipped.add(injection.secret().name(), injection.location());
            }
        }
        skipped.annotate(context.trace());
        return List.copyOf(first.values());
    }

    /** Adds the injections; returns a refusal when one is not possible. */
    private @Nullable Decision inject(RequestContext context, HeadSwap swap) {
        if (!plan.injections().mayMatch(context)) {
            return null;
        }
        UsageAnnotation injected = new UsageAnnotation(UsageAnnotation.INJECTED);
        for (Injection injection : injecting(context)) {
            if (!injection.matches(context)) {
                continue;
            }
            if (!injection.secret().available()) {
                return Refusals.unavailable(injection);
            }
            Injection.Written written = injection.written();
            String text = written.text();
            written.credentials().forEach(swap::carry);
            if (!injection.intoHeader()) {
                String query = swap.query() == null ? context.head().query() : swap.query();
                swap.query(QueryParameters.set(query, injection.name(), text), injection.overPlaintext());
            } else if (!FieldSyntax.isValue(text)) {
                return Refusals.unusable();
            } else {
                swap.edits(injection.overPlaintext()).setHeader(injection.name(), text);
            }
            injected.add(injection.secret().name(), written.value(), injection.location());
        }
        injected.annotate(context.trace());
        return null;
    }

    /** A refusal, or a read of the body, when a required placeholder has not been found. */
    private @Nullable Decision require(RequestContext context, HeadSwap swap, @Nullable BodyContent read) {
        if (!plan.required().mayMatch(context)) {
            return null;
        }
        boolean look = false;
        for (Replacement entry : plan.required().entries()) {
            if (swap.found(entry.token()) || !entry.matches(context)) {
                continue;
            }
            boolean scansBody = entry.config().matchBody() && StreamEdits.hasBody(context.head());
            if (!scansBody || (read != null && !read.has(entry.token()))) {
                return Refusals.missing(entry);
            }
            look |= read == null;
        }
        return look ? read(Buffered.whole()) : null;
    }

    /** A refusal, or a read of the body, when an entry that scans it has no value. */
    private @Nullable Decision withoutValue(RequestContext context, @Nullable BodyContent read) {
        if (!plan.uncertainBodies().mayMatch(context)) {
            return null;
        }
        for (Replacement entry : plan.uncertainBodies().entries()) {
            if (entry.secret().available() || !entry.matches(context)) {
                continue;
            }
            if (read == null) {
                return read(Buffered.whole());
            }
            if (read.has(entry.token())) {
                return Refusals.unavailable(entry);
            }
        }
        return null;
    }

    /**
     * A refusal, or a read of the body, when a placeholder in it would be refused here. If a body is longer than may be
     * buffered, its beginning is searched now and the rest as it streams; a body that the receiver answers piece by
     * piece cannot be waited for.
     */
    private @Nullable Decision misdirected(RequestContext context, HeadSwap swap, @Nullable BodyContent read) {
        if (read != null) {
            Replacement refusing = read.misdirected(swap.resolver());
            return refusing == null ? null : Refusals.misdirected(refusing);
        }
        boolean look = StreamEdits.guarded(plan, context) && !StreamEdits.conversation(context.head());
        return look ? read(Buffered.prefix(Long.MAX_VALUE)) : null;
    }

    private Decision read(Buffered access) {
        return Decision.read(
                access, RequestStep.inline(context -> judge(context, BodyContent.of(context, plan.replacer()))));
    }

    @Override
    public String toString() {
        return "Secrets[]";
    }
}
