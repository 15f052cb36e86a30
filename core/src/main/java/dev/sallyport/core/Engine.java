package dev.sallyport.core;

import dev.sallyport.core.audit.AuditGate;
import dev.sallyport.core.audit.AuditWriter;
import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.dns.DnsServer;
import dev.sallyport.core.exchange.AuditSlotReclaimer;
import dev.sallyport.core.exchange.ExchangeIds;
import dev.sallyport.core.exchange.ExchangeServices;
import dev.sallyport.core.exchange.ExchangeSettings;
import dev.sallyport.core.exchange.HttpExchanges;
import dev.sallyport.core.exchange.LocalSite;
import dev.sallyport.core.exchange.TrustHint;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.meter.MeterBook;
import dev.sallyport.core.net.Listener;
import dev.sallyport.core.net.ListenerSettings;
import dev.sallyport.core.net.Listeners;
import dev.sallyport.core.net.ProtocolSniffingHandler;
import dev.sallyport.core.net.connection.ConnectionSettings;
import dev.sallyport.core.pipeline.BlockingStepExecutor;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.redact.RedactionRegistry;
import dev.sallyport.core.secret.EngineSourceContext;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.core.upstream.OperatorHttp;
import dev.sallyport.core.upstream.OperatorNames;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Principal;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.toolkit.coding.Codings;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running proxy: everything between configuration and sockets, made in order and closed in reverse. */
final class Engine implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    private final CloseStack closer;
    private final MeterBook meters;
    private final EngineMeters counts;
    private final LoopWatch watch;
    private final HeapWatch heap;
    private final AuditGate gate;
    private final AuditWriter audit;
    private final List<EventLoop> eventLoops;
    private final ScheduledExecutorService timers;
    private final UpstreamRuntime upstream;
    private final BodyBudget budget;
    private final HeadBudget heads;
    private final RedactionRegistry redactions;
    private final HttpExchanges exchanges;

    private final ProxyAuthState access;
    private final Pipeline pipeline = new Pipeline();
    private final PolicyInForce policy;
    private final Listeners listeners;
    private final ShutdownSequence ending = new ShutdownSequence();
    private final Companions companions;

    /**
     * The configuration that sockets and threads were made from: differences need a restart, however many reloads ago
     * they came.
     */
    private final ProxyConfig started;

    private volatile TlsRuntime tls;
    private volatile @Nullable DnsServer dns;
    private volatile ProxyConfig config;
    private volatile ExchangeSettings limits;
    private volatile LocalSite site;
    private volatile List<String> warnings;
    private volatile boolean closed;

    static Engine start(
            Preflight.Outcome.Ready ready,
            List<TransformEntry<?>> given,
            EgressProxy.Builder settings,
            PluginCatalog catalog,
            Supplier<ReloadResult> reload)
            throws StartException {
        CloseStack closer = new CloseStack();
        try {
            Engine engine = new Engine(ready, settings, catalog, closer);
            engine.open(ready.loaded(), given, settings, reload);
            return engine;
        } catch (StartException | RuntimeException | Error e) {
            closer.close();
            throw e;
        }
    }

    private Engine(
            Preflight.Outcome.Ready ready, EgressProxy.Builder settings, PluginCatalog catalog, CloseStack closer)
            throws StartException {
        ProxyConfig config = ready.loaded().config();
        Thread codings = Thread.ofPlatform().daemon().name("sallyport-codings").start(Codings::load);
        this.started = config;
        this.config = config;
        this.limits = ConfigMapper.exchange(config, config.tls().mode());
        this.closer = closer;
        this.warnings = List.of();
        timers = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("sallyport-timer").factory());
        closer.add(timers::shutdownNow);
        meters = closer.add(new MeterBook(settings.telemetry()));
        watch = closer.add(new LoopWatch(meters));
        heap = new HeapWatch(this::stopListening);
        counts = new EngineMeters(meters, settings.auditListener());
        MemoryBudgets memory = MemoryBudgets.of(config.proxy().limits());
        gate = new AuditGate(config.log().audit().slots(), memory.captured() / 2);
        audit = AuditSetup.open(ready.loaded(), settings, gate, counts);
        closer.add(() -> audit.shutdown(ending.auditPatience()));
        audit.start();
        EventLoops loops = EventLoops.create(settings.loops());
        closer.add(() -> loops.close(ending.patience()));
        eventLoops = eventLoops(loops);
        tls = TlsRuntime.make(config, ready.tls(), closer);
        site = tls.site();
        upstream = new UpstreamRuntime(config, tls.client(), timers, closer);
        Clock clock = Clock.systemUTC();
        HttpCaller http = new OperatorHttp(loops.group(), upstream.pools());
        EngineSourceContext lent = closer.add(new EngineSourceContext(settings.environment(), clock, http));
        SecretStore secrets = closer.add(new SecretStore(sources(catalog), lent, timers));
        access = closer.add(new ProxyAuthState(secrets));
        BlockingStepExecutor blocking =
                new BlockingStepExecutor(config.proxy().limits().blockingThreads());
        GenerationBuilder generations = new GenerationBuilder(
                clock,
                timers,
                http,
                new OperatorNames(loops.group(), upstream::resolveAll),
                secrets,
                meters,
                blocking,
                eventLoops,
                settings.environment());
        eventLoops.forEach(loop -> watch.add("sallyport-loop", loop, generations.mark(loop)));
        closer.add(() -> pipeline.close(ending.patience()));
        companions = closer.add(new Companions(ending));
        budget = new BodyBudget(memory.bodies());
        heads = memory.headBudget();
        counts.watch(gate, audit, upstream.pools().stats(), budget, heads);
        redactions = new RedactionRegistry(ConfigMapper.redaction(config.proxy()), System::nanoTime);
        policy = new PolicyInForce(secrets, access, generations, pipeline, redactions);
        ExchangeServices services = new ExchangeServices(
                pipeline,
                upstream.pools(),
                gate,
                audit,
                budget,
                redactions,
                () -> limits,
                new ExchangeIds(),
                () -> site,
                ConfigMapper.mode(config.tls()),
                new AuditSlotReclaimer(),
                new TrustHint());
        exchanges = new HttpExchanges(services);
        listeners = new Listeners(loops, connectionSettings(config));
        meters.gauge("connections", "{connection}", "Connections of clients.", listeners::connections);
        meters.gauge("generation", "", "The configuration in force, counted from the start.", policy::generation);
        meters.gauge("ca.not_after", "s", "When the authority ends, since 1970; 0: none.", () -> tls.authorityEnds());
        meters.sum("secret.refresh_failures", "", "Secrets that could not be read again.", secrets::refreshFailures);
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
                tls.mode(from),
                from.proxy().limits(),
                heads,
                peer -> Principal.anonymous(),
                access::users,
                ProtocolSniffingHandler::new);
    }

    private void open(
            ConfigResult.Loaded loaded,
            List<TransformEntry<?>> given,
            EgressProxy.Builder settings,
            Supplier<ReloadResult> reload)
            throws StartException {
        List<ConfigProblem> problems = new ArrayList<>();
        PolicyInForce.Prepared first = policy.prepare(loaded, given, problems, stale -> {});
        if (first != null) {
            policy.swap(first); // from now on it is closed with everything else, also when the start fails
        }
        companions.create(config.companions(), new EngineCompanionContext(settings), problems::add);
        if (first == null || !problems.isEmpty()) {
            throw StartException.of(problems);
        }
        warnings = lines(loaded.warnings());
        companions.prepare();
        listen();
        companions.started(new EngineProxyInfo(this, reload));
        watch.eachTurn(heap);
    }

    private void listen() throws StartException {
        try {
            closer.add(this::drain);
            if (config.dns().enabled()) {
                DnsServer steering = closer.add(steering(config.dns()));
                counts.watch(steering);
                dns = steering;
            }
            // Its sockets take any ports, but must not take that of the DNS server.
            upstream.prepare(eventLoops);
            for (ListenerSettings settings : ConfigMapper.listeners(config.proxy())) {
                listeners.bind(settings);
            }
        } catch (IOException e) {
            throw StartException.of(String.valueOf(e.getMessage()));
        }
        // Only now are the addresses known to which clients must not be connected.
        upstream.reconfigure(config, tls.client(), ownAddresses(config));
        listeners.accept();
    }

    /** Accepts nothing new; exchanges in progress may end, as at shutdown. */
    private void stopListening() {
        DnsServer names = dns;
        if (names != null) {
            names.close();
        }
        listeners
                .shutdown(config.proxy().limits().drainTimeout())
                .whenComplete((report, failure) -> LOG.info("exchanges under way have ended"));
    }

    /** The DNS server, unless it would query itself: then no name could ever be resolved. */
    private DnsServer steering(DnsSection section) throws IOException {
        EventLoop loop = closer.add(EventLoops.single("sallyport-dns")).group().next();
        DnsServer server = DnsServer.start(loop, section);
        watch("sallyport-dns", loop);
        String round = ConfigMapper.asksItself(server.address(), section);
        if (round.isEmpty()) {
            return server;
        }
        server.close();
        throw new IOException(round);
    }

    private static List<String> lines(List<ConfigProblem> findings) {
        return findings.stream().map(ConfigProblem::toString).toList();
    }

    ReloadResult reload(Preflight.Outcome outcome, List<TransformEntry<?>> given) {
        companions.refuseReloadFromWithin();
        ReloadResult result = switch (outcome) {
            case Preflight.Outcome.Refused refused ->
                new ReloadResult.Refused(refused.invalid().problems());
            case Preflight.Outcome.Ready ready -> replace(ready, given);
        };
        counts.reloaded(result);
        companions.reloaded(result);
        return result;
    }

    private ReloadResult replace(Preflight.Outcome.Ready ready, List<TransformEntry<?>> given) {
        ConfigResult.Loaded loaded = ready.loaded();
        ProxyConfig next = loaded.config();
        DnsServer names = dns;
        String loop = names == null ? "" : ConfigMapper.asksItself(names.address(), next.dns());
        if (!loop.isEmpty()) {
            String pointer = "/dns/upstream_resolver";
            return new ReloadResult.Refused(
                    List.of(new ConfigProblem(loaded.places().of(pointer), pointer, loop, "")));
        }
        List<ConfigProblem> problems = new ArrayList<>();
        Set<String> stale = new TreeSet<>();
        PolicyInForce.Prepared built = policy.prepare(loaded, given, problems, stale::add);
        if (built == null) {
            return new ReloadResult.Refused(problems.stream().sorted().toList());
        }
        List<String> restart = ConfigMapper.restartRequired(started, next);
        config = next;
        limits = ConfigMapper.exchange(next, started.tls().mode());
        renew(ready);
        if (names != null && next.dns().enabled()) {
            names.reconfigure(next.dns());
        }
        policy.swap(built);
        warnings = lines(loaded.warnings());
        if (!restart.isEmpty()) {
            LOG.warn("these changes take effect with a restart only: {}", String.join(", ", restart));
        }
        if (!stale.isEmpty()) {
            LOG.warn("these secrets could not be read again and keep their values: {}", String.join(", ", stale));
        }
        return new ReloadResult.Reloaded(policy.generation(), warnings, restart, List.copyOf(stale));
    }

    /** Applies limits and TLS to new connections on both sides. */
    private void renew(Preflight.Outcome.Ready ready) {
        ProxyConfig next = ready.loaded().config();
        // Another mode needs a restart: until then all of TLS stays as it is.
        tls = next.tls().mode() == started.tls().mode() ? tls.with(next, ready.tls()) : tls;
        site = tls.site();
        MemoryBudgets memory = MemoryBudgets.of(next.proxy().limits());
        budget.limit(memory.bodies());
        heads.limits(memory.heads(), memory.connectionHeads());
        redactions.reconfigure(ConfigMapper.redaction(next.proxy()));
        listeners.reconfigure(connectionSettings(next));
        upstream.reconfigure(next, tls.client(), ownAddresses(next));
    }

    private List<InetSocketAddress> ownAddresses(ProxyConfig from) {
        List<InetSocketAddress> own = new ArrayList<>(
                listeners.bound().stream().map(Listener::address).toList());
        DnsServer names = dns;
        if (names != null) {
            own.add(names.address());
        }
        own.addAll(ConfigMapper.otherOwn(from, own));
        own.addAll(companions.addresses());
        return own;
    }

    private static List<EventLoop> eventLoops(EventLoops loops) {
        List<EventLoop> list = new ArrayList<>();
        for (EventExecutor executor : loops.group()) {
            list.add((EventLoop) executor);
        }
        return list;
    }

    private static Map<String, SecretSourceFactory<?>> sources(PluginCatalog catalog) {
        Map<String, SecretSourceFactory<?>> sources = new HashMap<>();
        for (String type : catalog.sourceTypes()) {
            SecretSourceFactory<?> factory = catalog.source(type);
            if (factory != null) {
                sources.put(type, factory);
            }
        }
        return sources;
    }

    @Nullable InetSocketAddress address(ListenerKind kind) {
        for (Listener listener : listeners.bound()) {
            if (listener.kind() == kind) {
                return listener.address();
            }
        }
        return null;
    }

    @Nullable DnsServer dns() {
        return dns;
    }

    ProxyConfig config() {
        return config;
    }

    long count(String name, String... labels) {
        return meters.count(name, labels);
    }

    int generation() {
        return policy.generation();
    }

    List<String> warnings() {
        return warnings;
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

    private void drain() {
        ending.drain(config.proxy().limits().drainTimeout(), listeners, watch);
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
