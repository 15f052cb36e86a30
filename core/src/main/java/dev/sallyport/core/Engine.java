package dev.sallyport.core;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.exchange.AuditTrail;
import dev.sallyport.core.exchange.ExchangeIds;
import dev.sallyport.core.exchange.ExchangeServices;
import dev.sallyport.core.exchange.HttpExchanges;
import dev.sallyport.core.exchange.Rechecks;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.net.ProtocolSniffingHandler;
import dev.sallyport.core.net.connection.ConnectionSettings;
import dev.sallyport.core.pipeline.BlockingStepExecutor;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.pipeline.TransformServices;
import dev.sallyport.core.redact.RedactionRegistry;
import dev.sallyport.core.secret.DeliveredSecrets;
import dev.sallyport.core.secret.DeliveredSourceFactory;
import dev.sallyport.core.secret.EngineSourceContext;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.core.workload.Workload;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.toolkit.coding.Codings;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running proxy: everything between configuration and sockets, made in order and closed in reverse. */
final class Engine implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final int SWEEP_SECONDS = 10;
    private static final int IDLE_SECONDS = 300;

    private final CloseStack closer;
    private final MeterRegistry meters;
    private final EngineMeters counts;
    private final LoopWatch watch;
    private final HeapWatch heap;
    private final EngineAuditTaps taps = new EngineAuditTaps();
    private final AuditGate gate;
    private final AuditWriter audit;
    private final List<EventLoop> eventLoops;
    private final UpstreamRuntime upstream;
    private final BodyBudget budget;
    private final HeadBudget heads;
    private final RedactionRegistry redactions;
    private final HttpExchanges exchanges;

    private final SecretStore secrets;
    private final ConfigInForce inForce;
    private final Pipeline pipeline;
    private final EngineCallers callers;
    private final PolicyInForce policy;
    private final EngineFeed feed;

    /** Held while the policy is changed, by the file or the feed. */
    private final ReentrantLock changing = new ReentrantLock();

    private final EngineSockets sockets;
    private final ShutdownSequence ending = new ShutdownSequence();
    private final Companions companions;
    private final EngineExplanations explanations;

    private volatile @Nullable LastReload lastReload;
    private volatile boolean closed;

    static Engine start(
            Preflight.Outcome.Ready ready,
            EmbedderSettings settings,
            PluginCatalog catalog,
            Supplier<ReloadResult> reload)
            throws StartException {
        CloseStack closer = new CloseStack();
        try {
            Engine engine = new Engine(ready, settings, catalog, closer);
            engine.open(ready.loaded(), settings, reload);
            return engine;
        } catch (StartException | RuntimeException | Error e) {
            closer.close();
            throw e;
        }
    }

    private Engine(Preflight.Outcome.Ready ready, EmbedderSettings settings, PluginCatalog catalog, CloseStack closer)
            throws StartException {
        ProxyConfig config = ready.loaded().config();
        Thread codings = Thread.ofPlatform().daemon().name("sallyport-codings").start(Codings::load);
        this.closer = closer;
        ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("sallyport-timer").factory());
        closer.add(timers::shutdownNow);
        meters = closer.add(new MeterRegistry(settings.telemetry()));
        closer.add(settings.hooks().endListener()::run);
        watch = closer.add(new LoopWatch(meters));
        heap = new HeapWatch(this::stopListening);
        counts = new EngineMeters(meters, settings.audit().listener().and(taps));
        MemoryBudgets memory = MemoryBudgets.of(config.proxy().limits());
        gate = new AuditGate(config.log().audit().slots(), memory.captured() / 2);
        taps.gate(gate);
        AuditSetup recording = AuditSetup.open(ready.loaded(), settings, gate, counts, taps);
        audit = recording.writer();
        closer.add(() -> audit.shutdown(ending.auditPatience()));
        audit.start();
        EventLoops loops = EventLoops.create(settings.loops());
        closer.add(() -> loops.close(ending.patience()));
        eventLoops = loops.all();
        TlsRuntime tls = TlsRuntime.make(config, ready.tls(), meters, closer);
        upstream = new UpstreamRuntime(config, tls.client(), timers, meters, closer);
        Clock clock = Clock.systemUTC();
        OperatorCalls calls = OperatorCalls.over(loops, upstream);
        EngineSourceContext lent = closer.add(new EngineSourceContext(settings.environment(), clock, calls.http()));
        Map<String, SecretSourceFactory<?>> sources = new HashMap<>(catalog.sources());
        DeliveredSecrets delivered = new DeliveredSecrets();
        sources.put(DeliveredSourceFactory.TYPE, delivered);
        secrets = closer.add(new SecretStore(sources, lent, timers, meters, recording.fingerprints()));
        ProxyAuthState access = closer.add(new ProxyAuthState(secrets));
        ParentState parents = closer.add(new ParentState(
                secrets, settings.environment(), settings.hooks().parentListener()));
        lent.tellPrograms(parents::variables);
        ClientCertificates certificates = closer.add(new ClientCertificates(secrets));
        BlockingStepExecutor blocking =
                new BlockingStepExecutor(config.proxy().limits().blockingThreads());
        TransformServices services = new TransformServices(
                clock,
                timers,
                calls.http(),
                calls.names(),
                calls.sockets(),
                secrets,
                meters,
                blocking,
                eventLoops,
                settings.environment());
        GenerationBuilder generations = new GenerationBuilder(services);
        timers.scheduleWithFixedDelay(generations::dropIdle, IDLE_SECONDS, IDLE_SECONDS, TimeUnit.SECONDS);
        pipeline = RefusedCallers.pipeline(generations, ConfigMapper.pipeline(config.proxy()));
        eventLoops.forEach(loop -> watch.add("sallyport-loop", loop, generations.mark(loop)));
        closer.add(() -> pipeline.close(ending.patience()));
        companions = closer.add(new Companions(ending));
        budget = new BodyBudget(memory.bodies());
        heads = memory.headBudget();
        EngineGauges gauges = new EngineGauges(meters);
        gauges.audit(gate, audit);
        gauges.upstream(upstream.pools().stats());
        gauges.memory(budget, heads);
        gauges.steps(blocking);
        redactions = new RedactionRegistry(ConfigMapper.redaction(config.proxy()), System::nanoTime);
        timers.scheduleWithFixedDelay(redactions::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
        WorkloadBuilder workloads =
                new WorkloadBuilder(generations, catalog, settings.source().folder());
        callers = new EngineCallers(access);
        policy = new PolicyInForce(secrets, callers, generations, workloads, pipeline, redactions);
        Rechecks rechecks = new Rechecks(pipeline, eventLoops, callers::again);
        inForce = new ConfigInForce(config, settings, tls, upstream, parents, certificates, policy, rechecks);
        generations.beforeSwitching(() -> inForce.tls().prepareHalves());
        feed = closer.add(
                new EngineFeed(policy, changing, pipeline, new FeedSecrets(delivered, secrets, redactions), rechecks));
        ExchangeServices serving = new ExchangeServices(
                pipeline,
                upstream.pools(),
                new AuditTrail(gate, audit, ConfigMapper.mode(config.tls())),
                budget,
                redactions,
                inForce::limits,
                new ExchangeIds(),
                inForce::site,
                rechecks);
        exchanges = new HttpExchanges(serving);
        explanations = closer.add(new EngineExplanations(
                new Explainers.Means(services, upstream.pools(), inForce::site), policy, pipeline, changing));
        sockets = new EngineSockets(loops, connectionSettings(config), meters, watch, closer);
        gauges.connections(sockets.listeners(), policy);
        gauges.tls(inForce::tls);
        meters.gauge("ready", "", "Whether exchanges are served.", () -> ready() ? 1 : 0);
        await(codings);
    }

    /** Waits for classes that an event loop would otherwise load for the first body that needs them. */
    private static void await(Thread loading) {
        try {
            loading.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the first to need it waits
        }
    }

    /** The settings of new connections. */
    private ConnectionSettings connectionSettings(ProxyConfig from) {
        return new ConnectionSettings(
                exchanges,
                inForce.tls().mode(from),
                from.proxy().limits(),
                heads,
                callers::at,
                callers::users,
                ProtocolSniffingHandler::new);
    }

    private void open(ConfigResult.Loaded loaded, EmbedderSettings settings, Supplier<ReloadResult> reload)
            throws StartException {
        List<ConfigProblem> problems = new ArrayList<>();
        boolean good = inForce.open(loaded, problems);
        companions.create(
                loaded.config().companions(),
                new EngineCompanionContext(
                        settings, loaded.places(), feed, taps, policy::transformsOfFile, upstream::deniedRanges),
                problems::add);
        taps.sinks().seal();
        if (!good || !problems.isEmpty()) {
            throw StartException.of(problems);
        }
        explanations.inForce(loaded);
        companions.prepare();
        listen();
        companions.started(new EngineProxyInfo(this, reload));
        watch.eachTurn(heap);
    }

    private void listen() throws StartException {
        ProxyConfig config = inForce.config();
        try {
            closer.add(this::drain);
            sockets.startDns(config.dns());
            // Its sockets take any ports, but must not take that of the DNS server.
            upstream.prepare(eventLoops);
            sockets.bind(config.proxy());
        } catch (IOException e) {
            throw StartException.of(String.valueOf(e.getMessage()));
        }
        // Only now are the addresses known to which clients must not be connected.
        inForce.dialExcept(ownAddresses());
        sockets.listeners().accept();
    }

    private void stopListening() {
        sockets.stopListening(inForce.config().proxy().limits().drainTimeout());
    }

    ReloadResult reload(Preflight.Outcome outcome) {
        companions.refuseReloadFromWithin();
        ReloadResult result = switch (outcome) {
            case Preflight.Outcome.Refused refused ->
                new ReloadResult.Refused(refused.invalid().problems());
            case Preflight.Outcome.Ready ready -> replace(ready);
        };
        counts.reloaded(result);
        lastReload = new LastReload(Instant.now(), result);
        companions.reloaded(result);
        return result;
    }

    private ReloadResult replace(Preflight.Outcome.Ready ready) {
        changing.lock();
        try {
            return replaceLocked(ready);
        } finally {
            changing.unlock();
        }
    }

    private ReloadResult replaceLocked(Preflight.Outcome.Ready ready) {
        ConfigResult.Loaded loaded = ready.loaded();
        ConfigProblem loop = sockets.asksItself(loaded);
        if (loop != null) {
            return new ReloadResult.Refused(List.of(loop));
        }
        List<ConfigProblem> problems = new ArrayList<>();
        Set<String> stale = new TreeSet<>();
        ConfigInForce.Prepared prepared = inForce.prepare(ready, stale::add, problems);
        if (prepared == null) {
            return new ReloadResult.Refused(problems);
        }
        List<String> restart = inForce.swap(prepared, this::renew);
        explanations.inForce(loaded);
        if (!restart.isEmpty()) {
            LOG.warn("these changes take effect with a restart only: {}", String.join(", ", restart));
        }
        if (!stale.isEmpty()) {
            LOG.warn("these secrets could not be read again and keep their values: {}", String.join(", ", stale));
        }
        return new ReloadResult.Reloaded(policy.generation(), inForce.warnings(), restart, List.copyOf(stale));
    }

    /** Has the other parts follow the configuration, for new connections on both sides. */
    private void renew(ProxyConfig next) {
        audit.rotation(ConfigMapper.rotation(next.log().audit().rotate()));
        MemoryBudgets memory = MemoryBudgets.of(next.proxy().limits());
        budget.limit(memory.bodies());
        heads.limits(memory.heads(), memory.connectionHeads());
        redactions.reconfigure(ConfigMapper.redaction(next.proxy()));
        sockets.reconfigure(next.dns(), connectionSettings(next));
        inForce.dialExcept(ownAddresses());
    }

    private List<InetSocketAddress> ownAddresses() {
        List<InetSocketAddress> own = sockets.own(inForce.config());
        own.addAll(companions.addresses());
        return own;
    }

    EngineSockets sockets() {
        return sockets;
    }

    ConfigInForce inForce() {
        return inForce;
    }

    PipelineFeed pipelines() {
        return feed;
    }

    /** The names of the workloads in force, sorted. */
    List<String> workloads() {
        return pipeline.workloads().all().stream().map(Workload::name).toList();
    }

    MeterRegistry meters() {
        return meters;
    }

    int generation() {
        return policy.generation();
    }

    @Nullable LastReload lastReload() {
        return lastReload;
    }

    List<SourceStatus> sources() {
        return SourceStatus.of(Preflight.secrets(inForce.config()), secrets);
    }

    boolean isClosed() {
        return closed;
    }

    boolean endedHard() {
        return ending.isHard();
    }

    boolean ready() {
        return !closed && !heap.exhausted() && audit.ready() && pipeline.current() != null && companions.ready();
    }

    /** As {@link EgressProxy#explain}. */
    Explanation explain(ExplainRequest request) throws InvalidRequestException, InterruptedException {
        return explanations.explain(request);
    }

    private void drain() {
        ending.drain(inForce.config().proxy().limits().drainTimeout(), sockets.listeners(), watch);
        ending.await(gate, eventLoops);
    }

    /** Watches one more loop, which the caller owns. */
    void watch(String name, Executor loop) {
        watch.add(name, loop, null);
    }

    /** Idempotent; blocks. */
    @Override
    public void close() {
        closed = true;
        closer.close();
    }
}
