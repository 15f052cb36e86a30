package dev.sallyport.core.pipeline;

import dev.sallyport.core.audit.TransformId;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.BlockingTransform;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Transform;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A transform at its position in the list, with its declared capabilities. Immutable; shared by all loops. */
public final class Stage {

    private final int position;
    private final TransformId id;
    private final Transform transform;
    private final RequestStep step;
    private final Capabilities capabilities;
    private final Resources resources;
    private final long deadlineNanos;
    private final EnumSet<Part> writes;
    private final EnumSet<Part> reads;
    private final EnumSet<Effect> effects;
    private final UpgradeRules upgrades;

    /**
     * What the engine has made for the transform.
     *
     * @param scope where it acts, or null for everywhere
     * @param relays where it lets TCP be relayed in which neither HTTP nor TLS is spoken, or null for nowhere
     * @param ruleSets all rule sets that it has had compiled: what its verdicts depend on
     * @param places tells where a rule stands, for people
     */
    record Resources(
            @Nullable RuleSet scope,
            @Nullable RuleSet relays,
            List<LazyRules> ruleSets,
            StageSecrets secrets,
            Function<Rule, String> places) {

        /** Of a transform that acts everywhere. */
        static final Resources NONE = new Resources(null, null, List.of(), StageSecrets.NONE, Rule::toString);

        Resources {
            ruleSets = List.copyOf(ruleSets);
        }
    }

    /**
     * @param position index in the list; the section transforms follow the list
     * @param instance the name that distinguishes it from others of its kind; empty when it has none
     */
    Stage(
            int position,
            String name,
            String instance,
            Transform transform,
            Capabilities capabilities,
            Resources resources,
            long deadlineNanos) {
        this.position = position;
        this.id = new TransformId(name, instance);
        this.transform = transform;
        this.step = step(transform);
        this.capabilities = capabilities;
        this.resources = resources;
        this.deadlineNanos = deadlineNanos;
        this.writes = copy(capabilities.writes(), Part.class);
        this.reads = copy(capabilities.reads(), Part.class);
        this.effects = copy(capabilities.effects(), Effect.class);
        this.upgrades = UpgradeRules.of(capabilities.admits());
    }

    /** The first step of a transform, whose form says on which thread it runs. */
    private static RequestStep step(Transform transform) {
        if (transform instanceof InlineTransform inline) {
            return RequestStep.inline(inline::decide);
        }
        return transform instanceof BlockingTransform waiting
                ? RequestStep.blocking(waiting::await)
                : RequestStep.async(transform::onRequest);
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

    /** The transform, for audit records. */
    public TransformId id() {
        return id;
    }

    /** The transform's name. */
    public String name() {
        return id.name();
    }

    /** The name that distinguishes the instance from others of its kind; empty when it has none. */
    public String instance() {
        return id.instance();
    }

    /** Whether the stage may send requests of its own when it leaves the loop. */
    public boolean callsOut() {
        return causes(Effect.CALLS_OUT);
    }

    /** Why there is no transform at this position, as {@link UnbuiltTransform} says; null when there is one. */
    public @Nullable String unbuilt() {
        return transform instanceof UnbuiltTransform missing ? missing.why() : null;
    }

    Transform transform() {
        return transform;
    }

    /** What the transform does with the head of a request. */
    RequestStep step() {
        return step;
    }

    Capabilities capabilities() {
        return capabilities;
    }

    /** Whether a credential of this stage was deleted; as {@link StageSecrets#deletedSince}. */
    boolean deletedSince(long deletions, String secret) {
        return resources.secrets().deletedSince(deletions, secret);
    }

    /** The place of a rule for which it makes a difference how the path is read; null when there is none. */
    @Nullable String ambiguousRule(Destination destination, RequestHead head) {
        for (LazyRules rules : resources.ruleSets()) {
            Rule rule = rules.ambiguousRule(destination, head.method(), head.path());
            if (rule != null) {
                return resources.places().apply(rule);
            }
        }
        return null;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** How long it may take to decide. */
    public Duration deadline() {
        return Duration.ofNanos(deadlineNanos);
    }

    /** The head of the request as the transform may see it. */
    public RequestHead shown(RequestMessage request) {
        return request.hasSensitive() && masked() ? new MaskedHead(request) : request;
    }

    /**
     * Refuses a late decision: on-loop steps are held to the same deadline as off-loop steps.
     *
     * @throws StageException when more time has passed than the stage is allowed
     */
    void checkInTime(long since, long now) {
        if (now - since > deadlineNanos) {
            throw StageException.late(name() + ": no decision within its deadline");
        }
    }

    boolean reaches(Destination destination) {
        RuleSet scope = resources.scope();
        return scope == null || scope.reaches(destination);
    }

    /** Whether some rule for this destination decides by the method or path of a request. */
    boolean decidesByTarget(Destination destination) {
        for (LazyRules rules : resources.ruleSets()) {
            if (rules.decideByTarget(destination)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the transform says by rules what it admits. */
    boolean admitsByRules() {
        return !capabilities.admits().isEmpty();
    }

    /** Whether one of these rules lists this protocol for a switch of the request's connection. */
    boolean allowsUpgrade(Destination destination, RequestHead head, String protocol) {
        return upgrades.allow(destination, head, protocol);
    }

    /** Whether one of these rules lists some protocol for a request over TLS. */
    boolean maySwitch() {
        return upgrades.mayAllowAny();
    }

    /** Whether one of these rules lists some protocol for a request over TLS to this host. */
    boolean maySwitch(String host) {
        return upgrades.mayAllow(host);
    }

    /** Whether one of its rules lets other TCP than HTTP and TLS be relayed to this destination. */
    boolean relays(Destination destination) {
        RuleSet relays = resources.relays();
        return relays != null && relays.match(destination, "", "") != RuleSet.NO_MATCH;
    }

    /** Whether it has to look at the requests for some destinations. */
    boolean looksAtRequests() {
        return !observer() && (capabilities.restricts() || needsFullVisibility());
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
