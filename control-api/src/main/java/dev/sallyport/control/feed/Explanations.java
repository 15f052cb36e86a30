package dev.sallyport.control.feed;

import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.policy.McpPolicyDraft;
import dev.sallyport.control.policy.NetworkPolicyDraft;
import dev.sallyport.control.policy.Policy;
import dev.sallyport.control.policy.PolicySet;
import dev.sallyport.control.policy.SecretPolicyDraft;
import dev.sallyport.control.policy.ToolDraft;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.core.StartException;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.core.explain.SourceLocation;
import dev.sallyport.core.explain.TransformOutcome;
import dev.sallyport.toolkit.match.IpRange;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Explains requests by the pipeline of an account, with the engine that judges traffic. Nothing is resolved, asked or
 * sent, and no value of a secret is read: sources find an empty environment. One request of an account at a time. Small
 * accounts take turns, and large ones do apart from them, which take long; few wait, for a moment, and the others are told
 * to come again. Thread-safe; blocks.
 */
@Singleton
public final class Explanations implements AutoCloseable {

    private static final Pattern PROBLEM = Pattern.compile("\\S+: (/\\S*): (.*)");

    private static final String GATE = "allowlist";
    private static final String ACTION = "action";
    private static final int PLACES = 8;
    private static final long PATIENCE_MILLIS = 2_000;
    private static final int BUILT = 4;

    /** How many rules, tools and matchers a small account has: it is compiled and built in a fraction of a second. */
    private static final long SMALL = 500;

    private final Function<String, Account> accounts;
    private final Supplier<List<IpRange>> deniedRanges;
    private final Semaphore places = new Semaphore(PLACES);
    private final ExplainLane small;
    private final ExplainLane large;
    private final Set<String> asking = ConcurrentHashMap.newKeySet();

    @Inject
    public Explanations(Accounts accounts, EmbeddedDoor embedded) {
        this(accounts::of, embedded.deniedRanges(), PATIENCE_MILLIS);
    }

    /**
     * For accounts from elsewhere.
     *
     * @param deniedRanges those that the proxy does not dial now
     * @param patienceMillis how long one waits for its turn
     */
    Explanations(Function<String, Account> accounts, Supplier<List<IpRange>> deniedRanges, long patienceMillis) {
        this.deniedRanges = deniedRanges;
        this.accounts = accounts;
        this.small = new ExplainLane(patienceMillis, BUILT);
        this.large = new ExplainLane(patienceMillis, 1);
    }

    /**
     * What would become of a request of the caller's workloads.
     *
     * @param tags those that the proxy carries
     */
    public Explained explain(Caller caller, List<String> tags, ExplainDraft draft) {
        ExplainRequest request = draft.request();
        Scope scope = new Scope(caller.organizationId(), tags);
        if (!places.tryAcquire()) {
            throw Refusal.overloaded();
        }
        try {
            return explained(scope, request);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refusal.overloaded();
        } finally {
            places.release();
        }
    }

    private Explained explained(Scope scope, ExplainRequest request) throws InterruptedException {
        if (!asking.add(scope.organization())) {
            throw Refusal.overloaded();
        }
        try {
            Account account = accounts.apply(scope.organization());
            ExplainLane lane = isSmall(account) ? small : large;
            return lane.inTurn(() -> explained(lane, account, scope, request));
        } finally {
            asking.remove(scope.organization());
        }
    }

    /** By how much there is to compile. */
    static boolean isSmall(Account account) {
        PolicySet policies = account.policies();
        long size = account.rules().size();
        for (Policy<NetworkPolicyDraft> policy : policies.network()) {
            size += policy.draft().rules().size();
        }
        for (Policy<SecretPolicyDraft> policy : policies.secrets()) {
            size += 1 + policy.draft().rules().size();
        }
        for (Policy<McpPolicyDraft> policy : policies.mcp()) {
            size += 1 + policy.draft().rules().size();
            for (ToolDraft tool : policy.draft().tools()) {
                size += 1 + tool.matchers().size();
            }
        }
        return size <= SMALL;
    }

    private Explained explained(ExplainLane lane, Account account, Scope scope, ExplainRequest request)
            throws InterruptedException {
        Compiled pipeline = new Compiler(account).compile(scope);
        EgressMode mode = account.egress().mode();
        try {
            return answer(
                    pipeline, mode, lane.built(pipeline, deniedRanges.get()).explain(request));
        } catch (InvalidRequestException e) {
            throw new IllegalStateException("it names no user", e);
        } catch (StartException e) {
            return unavailable(pipeline, mode, e);
        }
    }

    /** As proxies answer whose pipeline cannot be built. */
    private static Explained unavailable(Compiled pipeline, EgressMode mode, StartException fault) {
        List<Proxy.Problem> problems =
                fault.problems().stream().map(line -> problem(pipeline, line)).toList();
        return new Explained(
                Explained.Verdict.ERROR,
                503,
                "policy_unavailable",
                "The policies cannot be made a pipeline.",
                null,
                null,
                new Explained.Egress(mode, null, null),
                null,
                List.of(),
                problems);
    }

    /** @param line {@code PLACE: POINTER: MESSAGE}; the place is one in a text that nobody sees */
    private static Proxy.Problem problem(Compiled pipeline, String line) {
        Matcher parts = PROBLEM.matcher(line);
        return parts.matches()
                ? new Proxy.Problem(pipeline.origin(parts.group(1)), parts.group(1), parts.group(2))
                : new Proxy.Problem(null, "", line);
    }

    private static Explained answer(Compiled pipeline, EgressMode mode, Explanation explanation) {
        Explained.Egress egress = egress(pipeline, mode, explanation);
        boolean allowed = explanation.verdict() == Explanation.Verdict.ALLOW;
        Explanation.Target to = explanation.destination();
        return new Explained(
                Explained.Verdict.valueOf(explanation.verdict().name()),
                explanation.status() == 0 ? null : explanation.status(),
                explanation.code(),
                explanation.detail(),
                explanation.decidedBy(),
                allowed ? egress.rule() : decisive(pipeline, explanation),
                egress,
                to == null ? null : new Explained.Target(to.host(), to.port(), to.secure()),
                explanation.transforms().stream()
                        .map(outcome -> step(pipeline, outcome))
                        .toList(),
                pipeline.told());
    }

    /** The rule that a refusal names, else the first of that transform that matched. */
    private static @Nullable String decisive(Compiled pipeline, Explanation explanation) {
        String named = origin(pipeline, explanation.rule());
        if (named != null || explanation.transforms().isEmpty()) {
            return named;
        }
        TransformOutcome last = explanation.transforms().getLast();
        return last.name().equals(explanation.decidedBy()) ? origin(pipeline, last.rule()) : null;
    }

    /** The last of its outcomes counts: that about a tunnel says only that some request in it may pass. */
    private static Explained.Egress egress(Compiled pipeline, EgressMode mode, Explanation explanation) {
        EgressEvent.Verdict verdict = null;
        String rule = null;
        for (TransformOutcome outcome : explanation.transforms()) {
            if (outcome.name().equals(GATE)) {
                boolean denied = !outcome.action().equals("allow")
                        || "warn".equals(outcome.annotations().get(ACTION));
                verdict = denied ? EgressEvent.Verdict.DENIED : EgressEvent.Verdict.ALLOWED;
                rule = denied ? null : origin(pipeline, outcome.rule());
            }
        }
        return new Explained.Egress(mode, verdict, rule);
    }

    private static Explained.Step step(Compiled pipeline, TransformOutcome outcome) {
        List<String> rules = outcome.rules().stream()
                .map(place -> origin(pipeline, place))
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .distinct()
                .toList();
        List<Explained.Edit> edits = outcome.edits().stream()
                .map(edit -> new Explained.Edit(edit.edit(), edit.name().isEmpty() ? null : edit.name()))
                .toList();
        return new Explained.Step(outcome.name(), outcome.phase(), outcome.action(), outcome.error(), rules, edits);
    }

    private static @Nullable String origin(Compiled pipeline, @Nullable SourceLocation place) {
        return place == null ? null : pipeline.origin(place.pointer());
    }

    @Override
    @PreDestroy
    public void close() {
        small.close();
        large.close();
    }
}
