package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.LateRejectException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.Trace;
import org.jspecify.annotations.Nullable;

/**
 * What comes of the placeholders that are found after the head of an exchange: in its body, its trailers, its messages.
 * Annotations are written as they are found: by then the request has been judged, but its audit record is not yet given
 * away. Confined to the exchange's loop; holds no value.
 */
final class Sightings {

    private final Plan plan;
    private final Target target;
    private final Uses swapped;
    private final Uses misdirected;
    private final Trace trace;
    private @Nullable Replacement refusing;
    private boolean overPlaintext = true;

    /**
     * @param swapped where placeholders were swapped so far
     * @param misdirected where placeholders of other destinations were found so far
     */
    Sightings(Plan plan, Target target, Uses swapped, Uses misdirected, Trace trace) {
        this.plan = plan;
        this.target = target;
        this.swapped = swapped;
        this.misdirected = misdirected;
        this.trace = trace;
    }

    /**
     * The value that stands for a placeholder, or null to leave it.
     *
     * @throws LateRejectException when nothing may go on: there is no value, or the placeholder belongs elsewhere
     */
    byte @Nullable [] value(int token, Place place, String header, String location) {
        Replacement chosen = chosen(token, place, header, location);
        return chosen == null ? null : chosen.secret().value().bytes();
    }

    /** As {@link #value}, the entry that has it. */
    @Nullable Replacement chosen(int token, Place place, String header, String location) {
        Replacement chosen = plan.choose(token, place, header, target);
        if (chosen == null) {
            misdirect(token, place, header, location);
            requireNoneRefused();
            return null;
        }
        Secret secret = chosen.secret();
        if (!secret.available()) {
            throw new LateRejectException(Refusals.unavailable(chosen));
        }
        swapped.add(secret.name(), location);
        swapped.annotate(trace);
        overPlaintext &= chosen.overPlaintext();
        return chosen;
    }

    /** Whether everything that was swapped so far may go anywhere without TLS. */
    boolean overPlaintext() {
        return overPlaintext;
    }

    /** Notes a placeholder when it belongs elsewhere. */
    void look(int token, Place place, String header, String location) {
        if (plan.choose(token, place, header, target) == null) {
            misdirect(token, place, header, location);
        }
    }

    private void misdirect(int token, Place place, String header, String location) {
        Replacement first = plan.misdirected(token, place, header, location, misdirected);
        misdirected.annotate(trace);
        if (refusing == null) {
            refusing = first;
        }
    }

    /** The entry that refuses what was found, or null. */
    @Nullable Replacement refusing() {
        return refusing;
    }

    /** @throws LateRejectException when something was found that is refused */
    void requireNoneRefused() {
        if (refusing != null) {
            throw new LateRejectException(Refusals.misdirected(refusing));
        }
    }
}
