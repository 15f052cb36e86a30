package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.toolkit.headers.WebSocketOpening;
import dev.sallyport.toolkit.redact.Redactor;
import dev.sallyport.toolkit.redact.ResponseRedactor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which values must not come back in the response of which exchange. An exchange with none of them costs nothing. What is
 * compiled is kept and shared. Thread-safe.
 */
final class Redactions {

    /** What stands for a value that was injected, and so has no placeholder. */
    static final String MARKER = "SALLYPORT_REDACTED";

    /** What it takes to redact. */
    static final Part[] WRITES = ResponseRedactor.WRITES.toArray(new Part[0]);

    /** How many sets of values are kept compiled. */
    private static final int KEPT = 1024;

    private final Plan plan;
    /** By the position of the entry; null for those that are not redacted. */
    private final @Nullable Redactable[] byIndex;

    private final Map<String, List<Redactable>> bySecret = new HashMap<>();
    private final List<Redactable> always = new ArrayList<>();
    private final Map<List<Redactable.Known>, Redaction> compiled = new ConcurrentHashMap<>();

    Redactions(SecretsConfig config, Plan plan) {
        this.plan = plan;
        this.byIndex = new @Nullable Redactable[config.secrets().size()];
        for (Scoped entry : plan.entries()) {
            RedactResponse when = config.secrets().get(entry.index()).redactResponse();
            if (when != RedactResponse.OFF) {
                Redactable redactable = new Redactable(entry);
                byIndex[entry.index()] = redactable;
                bySecret.computeIfAbsent(entry.secret().name(), name -> new ArrayList<>(1))
                        .add(redactable);
                if (when == RedactResponse.ALWAYS) {
                    always.add(redactable);
                }
            }
        }
    }

    /** Warns about values that are too short. */
    static Redactions of(SecretsConfig config, Plan plan, BuildContext context) throws ConfigException {
        Redactions redactions = new Redactions(config, plan);
        for (Redactable redactable : redactions.byIndex) {
            if (redactable != null && redactable.known().isShort()) {
                context.warn(
                        "/secrets/" + redactable.entry().index() + "/redact_response",
                        "the value has less than " + Redactor.MIN_LENGTH
                                + " bytes and is not taken out of responses; redact_response: off says that this is meant");
            }
        }
        try {
            redactions.compile(redactions.always);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                            "/secrets", "the values with redact_response: always cannot be compiled", "shorter ones")
                    .causedBy(e);
        }
        return redactions;
    }

    /** Lets a request go on with the edits so far; its response is redacted where that is due. */
    Decision proceed(RequestContext context, HeadSwap swap) {
        Sightings later = mayFollow(context) ? swap.sightings() : null;
        List<Redactable.Known> values = findable(wanted(context, swap.secrets()));
        if (values.isEmpty() && later == null) {
            return Decision.proceed(swap.result());
        }
        Edits.Builder edits = Edits.builder().addAll(swap.result());
        if (!values.isEmpty()) {
            ResponseRedactor.prepare(context.head().headers(), edits);
        }
        return Decision.proceed(edits.build(), ResponseStep.inline(new RedactionStep(this, values, later)));
    }

    /** Whether a secret may be swapped in trailers. They rarely are there, and rarely come after the response. */
    private boolean mayFollow(RequestContext context) {
        return !bySecret.isEmpty()
                && Streams.mayHaveTrailers(context)
                && plan.fields().mayMatch(context);
    }

    private static List<Redactable.Known> findable(Set<Redactable> wanted) {
        if (wanted.isEmpty()) {
            return List.of();
        }
        return wanted.stream()
                .map(Redactable::known)
                .filter(Redactable.Known::isFindable)
                .toList();
    }

    private Set<Redactable> wanted(RequestContext context, Set<String> swapped) {
        Set<Redactable> wanted = always.isEmpty() ? Set.of() : new LinkedHashSet<>(always);
        if (!swapped.isEmpty()) {
            wanted = withSwapped(swapped, context, wanted);
        }
        if (plan.bodies().mayMatch(context) && mayCarry(context.head())) {
            wanted = withMatching(plan.bodies().entries(), context, wanted);
        }
        if (plan.injections().mayMatch(context)) {
            wanted = withMatching(plan.injections().entries(), context, wanted);
        }
        return wanted;
    }

    private Set<Redactable> withSwapped(Set<String> swapped, RequestContext context, Set<Redactable> wanted) {
        Set<Redactable> more = wanted;
        for (String secret : swapped) {
            for (Redactable redactable : bySecret.getOrDefault(secret, List.of())) {
                more = redactable.entry().matches(context) ? with(more, redactable) : more;
            }
        }
        return more;
    }

    private Set<Redactable> withMatching(
            List<? extends Scoped> entries, RequestContext context, Set<Redactable> wanted) {
        Set<Redactable> more = wanted;
        for (Scoped entry : entries) {
            Redactable redactable = byIndex[entry.index()];
            if (redactable != null && entry.matches(context)) {
                more = with(more, redactable);
            }
        }
        return more;
    }

    private static Set<Redactable> with(Set<Redactable> wanted, Redactable one) {
        Set<Redactable> more = wanted.isEmpty() ? new LinkedHashSet<>(4) : wanted;
        more.add(one);
        return more;
    }

    /** Whether placeholders may still follow the head: in a body, or in the messages of a WebSocket. */
    private static boolean mayCarry(RequestHead head) {
        return Streams.hasBody(head) || WebSocketOpening.in(head);
    }

    /**
     * What must not come back in an exchange that began with these values: these, those that came since, and those of
     * secrets that were swapped behind the head.
     */
    Redaction redaction(List<Redactable.Known> values, Set<String> swappedSince) {
        Set<Redactable.Known> all = new LinkedHashSet<>(values);
        for (Redactable.Known then : values) {
            all.add(then.of().known());
        }
        for (String secret : swappedSince) {
            for (Redactable redactable : bySecret.getOrDefault(secret, List.of())) {
                all.add(redactable.known());
            }
        }
        return compiled(List.copyOf(all));
    }

    private void compile(List<Redactable> redactables) {
        compiled(redactables.stream().map(Redactable::known).toList());
    }

    private Redaction compiled(List<Redactable.Known> values) {
        Redaction known = compiled.get(values);
        if (known == null) {
            if (compiled.size() >= KEPT) {
                compiled.clear();
            }
            known = compiled.computeIfAbsent(values, Redaction::of);
        }
        return known;
    }

    @Override
    public String toString() {
        return "Redactions" + bySecret.keySet();
    }
}
