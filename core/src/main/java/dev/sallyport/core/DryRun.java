package dev.sallyport.core;

import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.config.WorkloadConfig;
import dev.sallyport.core.exchange.LocalSite;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.pipeline.BlockingStepExecutor;
import dev.sallyport.core.pipeline.TransformServices;
import dev.sallyport.core.secret.EngineSourceContext;
import dev.sallyport.core.secret.LenientSecretStore;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.core.tls.ClientTls;
import dev.sallyport.core.tls.TlsMaterialException;
import dev.sallyport.core.tls.TlsProvider;
import dev.sallyport.core.tls.TrustRoots;
import dev.sallyport.core.workload.Workload;
import dev.sallyport.core.workload.WorkloadTable;
import dev.sallyport.spi.Principal;
import io.netty.channel.EventLoop;
import io.opentelemetry.api.OpenTelemetry;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * A configuration without a proxy: explains requests, opens no listener, and needs neither the files nor the secrets
 * that the configuration names. A secret that cannot be read, or whose source is elsewhere and is not asked, counts as
 * there; a transform that cannot be made leaves the verdict open wherever it would be asked.
 *
 * <pre>{@code
 * try (DryRun dry = EgressProxy.builder().config(Path.of("proxy.yaml")).dryRun(false)) {
 *     Explanation explanation = dry.explain(ExplainRequest.builder("GET", "https://api.example.com/v1").build());
 * } }</pre>
 *
 * <p>Thread-safe; every method blocks.
 */
public final class DryRun implements AutoCloseable {

    private final CloseStack closer = new CloseStack();
    private final Set<String> remarks = new LinkedHashSet<>();
    private final ExplainedPolicy policy;
    private final WorkloadTable<ExplainedPolicy> workloads;
    private final boolean live;
    private final Explainers explainers;

    /** @param absent files that cannot be used */
    private DryRun(
            EmbedderSettings settings,
            PluginCatalog catalog,
            Preflight.Outcome.Ready ready,
            List<String> absent,
            boolean live) {
        List<TransformEntry<?>> given = settings.transforms();
        this.policy = new ExplainedPolicy(
                ready.loaded(), "", Preflight.entries(ready.loaded().config(), given));
        this.workloads = workloads(ready.loaded(), given);
        this.live = live;
        remarks.addAll(absent);
        ProxyConfig config = ready.loaded().config();
        ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("sallyport-timer").factory());
        closer.add(timers::shutdownNow);
        EventLoops loops = closer.add(EventLoops.single("sallyport-explain"));
        EventLoop loop = loops.group().next();
        ClientTls tls = new ClientTls(TlsProvider.best(), roots(ready.tls()), List.of("h2", "http/1.1"));
        UpstreamRuntime upstream =
                new UpstreamRuntime(config, tls, timers, new MeterRegistry(OpenTelemetry.noop()), closer);
        upstream.reconfigure(config, tls, own(config));
        OperatorCalls calls = OperatorCalls.over(loops, upstream);
        EngineSourceContext lent =
                closer.add(new EngineSourceContext(settings.environment(), Clock.systemUTC(), calls.http()));
        SecretStore secrets = closer.add(new LenientSecretStore(catalog.sources(), lent, timers, live, this::remark));
        through(upstream, closer.add(new ParentState(secrets, settings.environment(), parents -> {})), ready.loaded());
        LocalSite site = new LocalSite(ready.tls().authority(), Runnable::run);
        explainers = closer.add(new Explainers(
                new Explainers.Means(
                        new TransformServices(
                                Clock.systemUTC(),
                                timers,
                                calls.http(),
                                calls.names(),
                                calls.sockets(),
                                secrets,
                                new MeterRegistry(OpenTelemetry.noop()),
                                new BlockingStepExecutor(config.proxy().limits().blockingThreads()),
                                List.of(loop),
                                settings.environment()),
                        upstream.pools(),
                        () -> site),
                this::remark));
    }

    private void through(UpstreamRuntime upstream, ParentState parents, ConfigResult.Loaded loaded) {
        ParentState.Prepared way = parents.prepare(loaded, stale -> {}, problem -> remark(problem.toString()));
        if (way != null) {
            closer.add(way);
            upstream.through(way.parents());
        }
    }

    static DryRun open(EmbedderSettings settings, PluginCatalog catalog, boolean live) throws StartException {
        ConfigResult read = settings.source().read(settings.environment(), catalog);
        List<TransformEntry<?>> given = settings.transforms();
        List<String> absent = new ArrayList<>();
        Preflight.Outcome outcome = Preflight.checkToExplain(read, given, problem -> absent.add(problem.toString()));
        if (outcome instanceof Preflight.Outcome.Refused refused) {
            throw StartException.of(refused.invalid().problems());
        }
        DryRun made = new DryRun(settings, catalog, (Preflight.Outcome.Ready) outcome, absent, live);
        try {
            made.explainers.prepare(live, made.policy);
            return made;
        } catch (StartException | RuntimeException | Error e) {
            made.close();
            throw e;
        }
    }

    /** Those of the system where the configuration's cannot be read, which has been remarked. */
    private static TrustRoots roots(TlsFiles files) {
        TrustRoots configured = files.roots();
        if (configured != null) {
            return configured;
        }
        try {
            return TrustRoots.system();
        } catch (TlsMaterialException e) {
            throw new IllegalStateException("the system's trust anchors cannot be read", e);
        }
    }

    /** Where the proxy would listen, and clients must not be connected to. */
    private static List<InetSocketAddress> own(ProxyConfig config) {
        List<InetSocketAddress> own = new ArrayList<>();
        ConfigMapper.listeners(config.proxy()).forEach(listener -> {
            if (listener.address().getPort() != 0 && !listener.address().isUnresolved()) {
                own.add(listener.address());
            }
        });
        own.addAll(ConfigMapper.otherOwn(config, own));
        return own;
    }

    private static WorkloadTable<ExplainedPolicy> workloads(ConfigResult.Loaded loaded, List<TransformEntry<?>> given) {
        ProxyConfig config = loaded.config();
        WorkloadTable<ExplainedPolicy> table = WorkloadTable.empty();
        for (WorkloadConfig workload : config.workloads()) {
            table = table.with(new Workload<>(
                    workload.name(),
                    Workload.Selectors.of(workload.sourceCidrs(), workload.proxyUsers()),
                    Map.of(),
                    new ExplainedPolicy(loaded, workload.name(), Preflight.entries(config, workload, given))));
        }
        return table;
    }

    private Explainers.Asked asked(ExplainRequest request) throws InvalidRequestException {
        Principal caller = ExplainedPolicy.caller(request, workloads, Preflight.isUser(config(), request.user()));
        Workload<ExplainedPolicy> workload = workloads.get(caller.workload());
        return new Explainers.Asked(
                workload == null ? policy : workload.policy(), ExplainedPolicy.served(caller, false, List.of()));
    }

    private void remark(String line) {
        synchronized (remarks) {
            remarks.add(line);
        }
    }

    /**
     * What is not as it would be in a proxy on a machine that has everything: files, secrets and variables that are
     * missing, a line each. Never a secret.
     */
    public List<String> remarks() {
        synchronized (remarks) {
            return List.copyOf(remarks);
        }
    }

    /** The configuration. */
    public ProxyConfig config() {
        return policy.loaded().config();
    }

    /**
     * Explains a request. Live, it resolves the destination and asks whom transforms would ask; to the destination
     * nothing is sent in any case.
     *
     * @param request live if and only if this was opened so
     * @throws InvalidRequestException when the configuration has no such user
     */
    public Explanation explain(ExplainRequest request) throws InvalidRequestException, InterruptedException {
        if (request.isLive() != live) {
            throw new IllegalArgumentException("live: " + request.isLive() + " (expected: as this was opened)");
        }
        try {
            return explainers.explain(request, this::asked);
        } catch (StartException e) {
            throw new IllegalStateException("prepared before", e);
        }
    }

    /** Closes transforms and sources. */
    @Override
    public void close() {
        closer.close();
    }
}
