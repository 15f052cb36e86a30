package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import dev.sallyport.toolkit.match.CompiledRules;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One transform at its position in the list, with what it has declared. Immutable; shared by all loops. */
public final class Stage {

    private final int position;
    private final String name;
    private final String instance;
    private final Transform transform;
    private final Capabilities capabilities;
    private final @Nullable RuleSet scope;
    private final List<CompiledRules> ruleSets;
    private final long deadlineNanos;
    private final EnumSet<Part> writes;
    private final EnumSet<Part> reads;
    private final EnumSet<Effect> effects;

    /**
     * @param position index in the list; the section transforms follow the list
     * @param instance the name that distinguishes it from others of its kind; empty when it has none
     * @param scope where the transform acts, or null for everywhere
     * @param ruleSets all rule sets that the transform has had compiled: what its verdicts depend on
     */
    Stage(
            int position,
            String name,
            String instance,
            Transform transform,
            Capabilities capabilities,
            @Nullable RuleSet scope,
            List<CompiledRules> ruleSets,
            long deadlineNanos) {
        this.position = position;
        this.name = name;
        this.instance = instance;
        this.transform = transform;
        this.capabilities = capabilities;
        this.scope = scope;
        this.ruleSets = List.copyOf(ruleSets);
        this.deadlineNanos = deadlineNanos;
        this.writes = copy(capabilities.writes(), Part.class);
        this.reads = copy(capabilities.reads(), Part.class);
        this.effects = copy(capabilities.effects(), Effect.class);
    }

    private static <E extends Enum<E>> EnumSet<E> copy(Set<E> set, Class<E> type) {
        EnumSet<E> copy = EnumSet.noneOf(type);
        copy.addAll(set);
        return copy;
    }

    /** Index in the list. */
    public int position() {
        return position;
    }

    /** The transform's name. */
    public String name() {
        return name;
    }

    /** The name that distinguishes the instance from others of its kind; empty when it has none. */
    public String instance() {
        return instance;
    }

    Transform transform() {
        return transform;
    }

    Capabilities capabilities() {
        return capabilities;
    }

    List<CompiledRules> ruleSets() {
        return ruleSets;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /**
     * Refuses a late decision: on-loop steps are held to the same deadline as off-loop steps.
     *
     * @throws StageFault when more time has passed than the stage is allowed
     */
    void checkInTime(long since, long now) {
        if (now - since > deadlineNanos) {
            throw StageException.late(name + ": no decision within its deadline");
        }
    }

    boolean reaches(Destination destination) {
        return scope == null || scope.reaches(destination);
    }

    boolean mayWrite(Part part) {
        return writes.contains(part);
    }

    boolean mayRead(Part part) {
        return reads.contains(part);
    }

    boolean causes(Effect effect) {
        return effects.contains(effect);
    }

    boolean observer() {
        return capabilities.observer();
    }

    /** Whether the transform is skipped where only the host is known. */
    boolean needsFullVisibility() {
        return capabilities.needsFullVisibility();
    }

    /** Whether the transform is skipped where credentials are withheld. */
    boolean credentialed() {
        return causes(Effect.INJECTS_CREDENTIAL) || causes(Effect.SIGNS);
    }

    /**
     * Checks a refusal's own response: a status other than that of a refusal counts as a local answer, which must be
     * declared.
     */
    void checkRefusal(@Nullable StubResponse response) {
        if (response != null && response.status() < 400 && !causes(Effect.ANSWERS_LOCALLY)) {
            throw StageException.broken(
                    "a refusal with status " + response.status() + " without the declared effect ANSWERS_LOCALLY");
        }
    }

    /** Whether sensitive values are masked for the transform. */
    boolean masked() {
        return causes(Effect.DISCLOSES_CONTENT) && !capabilities.seesCredentials();
    }
}
