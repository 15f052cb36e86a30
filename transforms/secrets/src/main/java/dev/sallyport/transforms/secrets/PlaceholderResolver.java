package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.LateRejectException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.Trace;
import org.jspecify.annotations.Nullable;

/**
 * Handles the placeholders that are found after the head of an exchange: in its body, its trailers, its messages.
 * Annotations are written as placeholders are found: the request has been judged by then, but its audit record has not
 * been written. Confined to the exchange's loop; holds no value.
 */
final class PlaceholderResolver {

    private final Plan plan;
    private final Target target;
    private final UsageAnnotation swapped;
    private final UsageAnnotation misdirected;
    private final Trace trace;
    private @Nullable Replacement refusing;
    private boolean overPlaintext = true;

    /**
     * @param swapped the places in which placeholders were swapped so far
     * @param misdirected the places in which placeholders of other destinations were found so far
     */
    PlaceholderResolver(Plan plan, Target target, UsageAnnotation swapped, UsageAnnotation misdirected, Trace trace) {
        this.plan = plan;
        this.target = target;
        this.swapped = swapped;
        this.misdirected = misdirected;
        this.trace = trace;
    }

    /**
     * The value of a placeholder, or null to leave it.
     *
     * @throws LateRejectException when the request must end: there is no value, or the placeholder belongs elsewhere
     */
    byte @Nullable [] value(int token, RequestPart part, String header, String location) {
        Found found = find(token, part, header, location);
        return found == null ? null : found.value.bytes();
    }

    /** A value, and the entry that has it. */
    record Found(Replacement entry, SecretValue value) {}

    /** As {@link #value}, with the entry that has it. */
    @Nullable Found find(int token, RequestPart part, String header, String location) {
        Replacement chosen = plan.choose(token, part, header, target);
        if (chosen == null) {
            misdirect(token, part, header, location);
            requireNoneRefused();
            return null;
        }
        Secret secret = chosen.secret();
        if (!secret.available()) {
            throw new LateRejectException(Refusals.unavailable(chosen));
        }
        SecretValue value = secret.value();
        swapped.add(secret.name(), value, location);
        swapped.annotate(trace);
        overPlaintext &= chosen.overPlaintext();
        return new Found(chosen, value);
    }

    /** Whether all values swapped so far may be sent anywhere without TLS. */
    boolean overPlaintext() {
        return overPlaintext;
    }

    /** Records a placeholder that belongs elsewhere. */
    void look(int token, RequestPart part, String header, String location) {
        if (plan.choose(token, part, header, target) == null) {
            misdirect(token, part, header, location);
        }
    }

    private void misdirect(int token, RequestPart part, String header, String location) {
        Replacement first = plan.misdirected(token, part, header, location, misdirected);
        misdirected.annotate(trace);
        if (refusing == null) {
            refusing = first;
        }
    }

    /** The entry that refuses a placeholder that was found, or null. */
    @Nullable Replacement refusing() {
        return refusing;
    }

    /** @throws LateRejectException when a refused placeholder was found */
    void requireNoneRefused() {
        if (refusing != null) {
            throw new LateRejectException(Refusals.misdirected(refusing));
        }
    }
}
