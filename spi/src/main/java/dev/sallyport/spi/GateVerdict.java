package dev.sallyport.spi;

import org.jspecify.annotations.Nullable;

/**
 * What a gate says of a destination, for those who report on egress. Immutable: a gate makes its verdicts once, and notes
 * one for each request without allocating anything. A gate is a transform that lets some destinations through and refuses
 * the others.
 */
public final class GateVerdict {

    private final boolean allowed;
    private final boolean warns;
    private final @Nullable String range;

    private GateVerdict(boolean allowed, boolean warns, @Nullable String range) {
        this.allowed = allowed;
        this.warns = warns;
        this.range = range;
    }

    /**
     * A rule lets it through.
     *
     * @param warns whether the gate only warns of what it does not allow
     * @param range the range of the rule, as it was configured; null when the rule names a host
     */
    public static GateVerdict allowed(boolean warns, @Nullable String range) {
        return new GateVerdict(true, warns, range);
    }

    /**
     * No rule lets it through.
     *
     * @param warns whether the gate only warns, so that it goes on all the same
     */
    public static GateVerdict denied(boolean warns) {
        return new GateVerdict(false, warns, null);
    }

    /** Whether a rule lets it through. */
    public boolean isAllowed() {
        return allowed;
    }

    /** Whether the gate only warns. */
    public boolean isWarning() {
        return warns;
    }

    /** The range of the rule that matched; null when it names a host, or none matched. */
    public @Nullable String range() {
        return range;
    }

    @Override
    public String toString() {
        return "GateVerdict[" + (allowed ? "allowed" : "denied") + (warns ? ", warns" : "")
                + (range == null ? "" : ", " + range) + "]";
    }
}
