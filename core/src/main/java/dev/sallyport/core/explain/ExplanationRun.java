package dev.sallyport.core.explain;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.config.RulePlaces;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.EngineVerdicts;
import dev.sallyport.core.exchange.LocalSite;
import dev.sallyport.core.exchange.OverrideFields;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.UpgradeTokens;
import dev.sallyport.core.net.http1.Http1RequestReader;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.core.net.request.DestinationResolver;
import dev.sallyport.core.net.request.ProxyAuthenticator;
import dev.sallyport.core.net.request.ProxyUsers;
import dev.sallyport.core.net.request.RefusedException;
import dev.sallyport.core.pipeline.ExchangeFacts;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.Stage;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Principal;
import dev.sallyport.spi.Visibility;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One explanation: the tunnel that the request would come through, the reading of its head, and its trial. Confined to
 * the loop.
 */
final class ExplanationRun {

    private static final String ID = "explain";

    private static final Refusal NO_SERVER_NAME =
            new Refusal(400, "no_server_name", "the ClientHello names no server", "http_request_error");

    private final TrialServices services;
    private final Generation generation;
    private final List<TransformEntry<?>> entries;
    private final IntFunction<RulePlaces> places;
    private final ExplainRequest request;
    private final CompletableFuture<Explanation> result;
    private final ExplainedConnection clientPath;
    private final Principal principal;
    private final @Nullable Refusal refusal;
    private final ConnectionInfo connection;

    private @Nullable TrialTunnel tunnel;
    private @Nullable TrialRecord opening;
    private @Nullable Trial trial;
    private @Nullable Destination destination;
    private boolean over;

    ExplanationRun(
            TrialServices services,
            Generation generation,
            List<TransformEntry<?>> entries,
            IntFunction<RulePlaces> places,
            ExplainRequest request,
            ExplainedCaller caller,
            CompletableFuture<Explanation> result) {
        this.services = services;
        this.generation = generation;
        this.entries = entries;
        this.places = places;
        this.request = request;
        this.result = result;
        this.clientPath = ExplainedConnection.of(request, services.settings());
        this.principal = caller.principal();
        this.refusal = caller.refusal();
        this.connection = clientPath.connection(request, principal);
    }

    void run(TrialMaker maker) {
        if (result.isDone()) {
            return; // given up before it began
        }
        generation.acquire(services.loop());
        services.refusedCalls(); // what late calls of the request before have left
        result.whenComplete((explanation, failure) -> close(maker));
        try {
            begin(maker);
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
    }

    private void close(TrialMaker maker) {
        maker.listen(null);
        if (trial != null) {
            trial.close();
        }
        generation.release(services.loop());
    }

    private void begin(TrialMaker maker) {
        destination = request.destination();
        if (lacksUser()) {
            conclude(Conclusion.of(ProxyUsers.refused(ProxyUsers.MISSING).refusal()));
            return;
        }
        Refusal always = refusal;
        if (always != null) {
            conclude(Conclusion.of(always));
            return;
        }
        Destination through = clientPath.tunnel();
        if (through != null && !opens(through)) {
            return;
        }
        if (request.isConnect()) {
            conclude(Conclusion.ALLOWED);
        } else if (clientPath.hostOnly()) {
            passed(maker);
        } else if (request.method().isEmpty()) {
            conclude(Conclusion.open(
                    Conclusion.NOT_RECORDED,
                    "the connection was passed through, and its requests are not known",
                    null));
        } else {
            read(maker);
        }
    }

    private boolean lacksUser() {
        boolean named = !request.user().isEmpty() || !request.workload().isEmpty();
        return services.settings().authRequired() && !named && clientPath.asksProxy(request);
    }

    /** Asks about the tunnel; false when that gave the verdict. */
    private boolean opens(Destination through) {
        if (EngineVerdicts.isLocal(through)) {
            return true;
        }
        TrialRecord record = record("connect", through, null);
        ConnectionInfo outside = new ConnectionInfo(
                clientPath.ingress().listener(), connection.endpoints(), null, connection.protocol(), null, principal);
        TrialTunnel asked = new TrialTunnel(record, outside, through);
        opening = record;
        tunnel = asked;
        Generation.TunnelRefusal refused = generation.admit(services.loop(), asked);
        if (refused == null) {
            return true;
        }
        Stage stage = refused.stage();
        conclude(
                TrialTunnel.isOpen(refused)
                        ? Conclusion.open(
                                Conclusion.NOT_ASKED, stage.name() + " could not be made: " + stage.unbuilt(), stage)
                        : Conclusion.of(Refusal.of(refused), stage, refused.position()));
        return false;
    }

    /** TLS that is passed through: only the name counts. */
    private void passed(TrialMaker maker) {
        String name = clientPath.ingress().sni();
        if (name == null) {
            conclude(Conclusion.of(NO_SERVER_NAME));
            return;
        }
        Destination to;
        try {
            to = DestinationResolver.passed(
                    clientPath.ingress(), name, services.settings().sniPort());
        } catch (RefusedException e) {
            conclude(Conclusion.of(e.refusal()));
            return;
        }
        destination = to;
        if (EngineVerdicts.isLocal(to)) {
            conclude(Conclusion.of(EngineVerdicts.LOCAL_SITE_PASSED));
            return;
        }
        RequestMessage head = new RequestMessage("", "", null, new HeaderBlock(1), 0);
        judge(head, to, null, Visibility.HOST_ONLY, maker);
    }

    /** Reads the head as a connection would. */
    private void read(TrialMaker maker) {
        Http1RequestReader reader = new Http1RequestReader(
                clientPath.ingress(),
                new ProxyAuthenticator(() -> ProxyUsers.OFF, clientPath.ingress(), principal),
                services.settings().maxHeaders());
        DecodedRequest decoded = reader.read(sent());
        Destination named = decoded.destination();
        destination = named == null ? destination : named;
        RequestMessage head = decoded.head();
        Refusal refusal = decoded.refusal();
        if (refusal != null) {
            conclude(Conclusion.of(refusal));
            return;
        }
        if (head == null || named == null) {
            throw new IllegalStateException("a request without a head or a destination");
        }
        if (EngineVerdicts.isLocal(named)) {
            LocalSite.Outline answer = services.site().get().outline(ID, connection, head);
            conclude(
                    answer.refusal().isEmpty()
                            ? Conclusion.stub(answer.status(), null)
                            : Conclusion.of(new Refusal(answer.status(), answer.refusal(), "", "")));
            return;
        }
        Refusal unreadable = EngineVerdicts.beforePolicy(generation, head, named);
        if (unreadable != null) {
            conclude(Conclusion.of(unreadable));
            return;
        }
        if (UpgradeTokens.WEBSOCKET.equals(decoded.upgrade()) || (request.recorded() && request.bodiless())) {
            head.length(0);
        } else if (request.recorded()) {
            head.length(RequestMessage.UNKNOWN_LENGTH);
        }
        String unlisted = EngineVerdicts.unlisted(generation, named, head, decoded.upgrade());
        judge(head, named, unlisted, Visibility.FULL, maker);
    }

    private DefaultHttpRequest sent() {
        HeaderBlock headers = new HeaderBlock(request.headers().size() + 2);
        request.headers().forEach(line -> headers.append(line.getKey(), line.getValue()));
        if (!headers.contains("Host")) {
            headers.append("Host", request.authority());
        }
        if (request.body().length > 0 && !headers.contains("Transfer-Encoding")) {
            headers.append("Content-Length", Integer.toString(request.body().length));
        }
        String target = clientPath.absolute() ? "http://" + request.authority() + request.target() : request.target();
        return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(request.method()), target, headers);
    }

    private void judge(
            RequestMessage head, Destination to, @Nullable String unlisted, Visibility visibility, TrialMaker maker) {
        TrialRecord record = record("request", to, head);
        OverrideFields.drop(generation, services.loop(), to, head.headers(), record.audit());
        ExchangeFacts facts = new ExchangeFacts(services.loop(), ID, connection, this, to, visibility);
        Trial begun = new Trial(services, generation, request, head, unlisted, facts, record, this::conclude);
        trial = begun;
        maker.listen(record::matched);
        begun.start();
    }

    private TrialRecord record(String phase, Destination to, @Nullable RequestMessage head) {
        MutableAuditRecord record = new MutableAuditRecord(ID, System.currentTimeMillis())
                .host(to.host())
                .port(to.port())
                .remoteAddr(connection.peer())
                .workload(principal.workload())
                .mode(services.settings().mode())
                .protocol(connection.protocol());
        if (head != null) {
            record.method(head.method()).path(head.target());
        }
        return new TrialRecord(phase, entries, places, record);
    }

    // The answer.

    private void conclude(Conclusion conclusion) {
        if (over) {
            return;
        }
        over = true;
        Trial judged = trial;
        Stage stage = conclusion.stage();
        List<TransformOutcome> outcomes = new ArrayList<>();
        TrialTunnel asked = tunnel;
        TrialRecord opened = opening;
        boolean inside = judged != null;
        if (asked != null && opened != null) {
            List<TransformOutcome> all =
                    opened.outcomes(asked.asked()::get, inside ? null : stage, conclusion.position());
            all.stream().filter(outcome -> !inside || isTelling(outcome)).forEach(outcomes::add);
        }
        Trial sent = conclusion.verdict() == Explanation.Verdict.ALLOW && !request.recorded() ? judged : null;
        Map<String, Map<String, ?>> groups = Map.of();
        if (judged != null) {
            outcomes.addAll(judged.record().outcomes(judged::asked, stage, conclusion.position()));
            groups = judged.record().audit().groups();
        }
        result.complete(new Explanation(
                conclusion.verdict(),
                conclusion.status(),
                conclusion.code(),
                conclusion.detail(),
                decidedBy(conclusion),
                rule(conclusion, outcomes),
                principal.workload(),
                target(judged),
                outcomes,
                sent == null ? List.of() : sent.response(),
                sent == null ? List.of() : sent.redacted(),
                groups,
                assumed(judged, conclusion)));
    }

    /** Of a tunnel that opens, only what somebody had to say about it. */
    private static boolean isTelling(TransformOutcome outcome) {
        return !outcome.action().equals("allow") || !outcome.annotations().isEmpty();
    }

    private static @Nullable String decidedBy(Conclusion conclusion) {
        Stage stage = conclusion.stage();
        if (stage != null) {
            return conclusion.verdict() == Explanation.Verdict.ERROR ? null : stage.name();
        }
        return conclusion.verdict() == Explanation.Verdict.STUB ? LocalSite.NAME : null;
    }

    /**
     * The rule of the transform that decided; where all let it pass, the one that admitted it, or else the first that matched:
     * transforms match for other reasons, too.
     */
    private @Nullable SourceLocation rule(Conclusion conclusion, List<TransformOutcome> outcomes) {
        Stage stage = conclusion.stage();
        if (stage != null) {
            SourceLocation entry =
                    SourceLocation.of(entries.get(stage.position()).at(), pointer(stage));
            SourceLocation named = null;
            for (TransformOutcome outcome : outcomes) {
                named = outcome.entry().equals(entry) ? outcome.rule() : named;
            }
            return named == null ? entry : named;
        }
        if (conclusion.verdict() != Explanation.Verdict.ALLOW) {
            return null;
        }
        SourceLocation first = null;
        for (TransformOutcome outcome : outcomes) {
            SourceLocation rule = outcome.rule();
            if (rule != null && admits(outcome)) {
                return rule;
            }
            first = first == null ? rule : first;
        }
        return first;
    }

    private boolean admits(TransformOutcome outcome) {
        return entries.stream()
                .filter(entry -> SourceLocation.of(entry.at(), entry.pointer()).equals(outcome.entry()))
                .anyMatch(entry -> !entry.capabilities().admits().isEmpty());
    }

    private String pointer(Stage stage) {
        return entries.get(stage.position()).pointer();
    }

    private Explanation.@Nullable Target target(@Nullable Trial judged) {
        Destination to = destination;
        if (to == null) {
            return null;
        }
        List<String> addresses = judged == null
                ? List.of()
                : judged.preview().addresses().stream()
                        .map(ExplanationRun::text)
                        .toList();
        return new Explanation.Target(to.host(), to.port(), to.secure(), addresses);
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress();
    }

    private static List<String> assumed(@Nullable Trial judged, Conclusion conclusion) {
        Set<String> names = new LinkedHashSet<>();
        if (judged != null) {
            judged.looked().stream()
                    .filter(stage -> stage != conclusion.stage())
                    .forEach(stage -> names.add(stage.name()));
        }
        return List.copyOf(names);
    }
}
