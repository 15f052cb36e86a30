package dev.sallyport.core;

import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.SectionFactory;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.dns.DnsServer;
import dev.sallyport.core.dns.DnsStats;
import dev.sallyport.core.exchange.ProblemForm;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.core.meter.TimedSeries;
import dev.sallyport.core.parent.Parents;
import dev.sallyport.core.secret.DeliveredSourceFactory;
import dev.sallyport.core.tls.TrustRootsReader;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import io.opentelemetry.api.OpenTelemetry;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An egress proxy inside this JVM: the embedding API. Any number of them may run side by side; they share nothing.
 *
 * <pre>{@code
 * try (EgressProxy proxy = EgressProxy.builder()
 *         .configText("proxy.yaml", yaml)
 *         .transform("greeter", (InlineTransform) request -> Decision.proceed())
 *         .build()) {
 *     proxy.start();
 *     connectTo(proxy.tunnelAddress());
 * } }</pre>
 *
 * <p>All methods may be called from any thread except an event loop of the proxy; {@link #start}, {@link #reload} and
 * {@link #close} block.
 */
public final class EgressProxy implements AutoCloseable {

    private final EmbedderSettings settings;
    private final PluginCatalog catalog;

    /** Held while the proxy is started, reloaded or closed. */
    private final ReentrantLock changing = new ReentrantLock();

    private final TrustRootsReader trust = new TrustRootsReader();

    private volatile @Nullable Engine engine;

    private EgressProxy(EmbedderSettings settings, PluginCatalog catalog) {
        this.settings = settings;
        this.catalog = catalog;
    }

    /** Starts a description of a proxy. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Checks a configuration that has been read as {@link #start} would, as far as possible without building anything:
     * reads the certificates that it names, and adds what is wrong with them, features that this build lacks, and
     * doubts about the order of transforms. What was found before stays in the report. Blocks.
     */
    public static ConfigResult check(ConfigResult read) {
        return Preflight.check(read, List.of(), new TrustRootsReader()).result();
    }

    /**
     * As {@link #check(ConfigResult)}, and also checks the values of secrets whose sources allow it: those in the
     * environment and in files of this machine. A value is never shown.
     *
     * @param catalog the catalog with which it was read
     * @param environment the environment of the proxy
     */
    public static ConfigResult check(ConfigResult read, PluginCatalog catalog, Map<String, String> environment) {
        return switch (check(read)) {
            case ConfigResult.Loaded loaded -> Preflight.withSecrets(loaded, catalog, environment);
            case ConfigResult.Invalid invalid -> Preflight.withVariables(invalid, environment);
        };
    }

    /** The plug-ins and companions that {@link ServiceLoader} finds on the class path, and the engine's own source. */
    public static PluginCatalog installedPlugins() {
        List<TransformFactory<?>> transforms = new ArrayList<>();
        for (TransformFactory<?> factory : ServiceLoader.load(TransformFactory.class)) {
            transforms.add(factory);
        }
        List<SecretSourceFactory<?>> sources = new ArrayList<>();
        sources.add(new DeliveredSourceFactory());
        for (SecretSourceFactory<?> factory : ServiceLoader.load(SecretSourceFactory.class)) {
            sources.add(factory);
        }
        List<SectionFactory<?>> companions = new ArrayList<>();
        for (CompanionFactory<?> factory : ServiceLoader.load(CompanionFactory.class)) {
            companions.add(factory);
        }
        return PluginCatalog.of(transforms, sources, companions);
    }

    /**
     * Reads the configuration, resolves secrets, builds the pipeline and opens the listeners; when it returns, clients
     * can connect.
     *
     * @throws StartException with everything that is wrong; nothing is left running
     * @throws IllegalStateException when it has been started before
     */
    public void start() throws StartException {
        changing.lock();
        try {
            startOnce();
        } finally {
            changing.unlock();
        }
    }

    private void startOnce() throws StartException {
        if (engine != null) {
            throw new IllegalStateException("started before (expected: a new proxy)");
        }
        Preflight.Outcome outcome = load();
        if (outcome instanceof Preflight.Outcome.Refused refused) {
            throw StartException.of(refused.invalid().problems());
        }
        Preflight.Outcome.Ready ready = (Preflight.Outcome.Ready) outcome;
        settings.hooks().configListener().accept(ready.loaded());
        try {
            engine = Engine.start(ready, settings, catalog, this::reload);
        } catch (LinkageError e) {
            throw ClassPath.complaint(e);
        }
    }

    /**
     * Reads the configuration again and replaces the pipeline atomically. Connections stay; exchanges in progress end
     * under the policy that they began with, unless {@code proxy.reload.long_lived} says otherwise. Waits for another
     * reload that is running.
     *
     * @throws IllegalStateException when the proxy is not running
     */
    public ReloadResult reload() {
        changing.lock();
        try {
            return reloadNow();
        } finally {
            changing.unlock();
        }
    }

    /** As {@link #reload}, but returns null at once when another reload is running, or the proxy is being closed. */
    public @Nullable ReloadResult tryReload() {
        if (!changing.tryLock()) {
            return null;
        }
        try {
            return reloadNow();
        } finally {
            changing.unlock();
        }
    }

    private ReloadResult reloadNow() {
        Engine running = running();
        if (running.isClosed()) {
            throw new IllegalStateException("closed (expected: a running proxy)");
        }
        return running.reload(load());
    }

    /**
     * The door through which policies come in: workloads with pipelines of their own, while the proxy runs.
     *
     * @throws IllegalStateException when the proxy has not been started
     */
    public PipelineFeed pipelines() {
        return running().pipelines();
    }

    /** The names of the workloads in force, of the file and of the feed, sorted. */
    public List<String> workloads() {
        return running().workloads();
    }

    /** The last reload that has ended, whoever asked for it; null for none. */
    public @Nullable LastReload lastReload() {
        return running().lastReload();
    }

    /** The secret sources of the configuration in force, in its order. */
    public List<SourceStatus> sources() {
        return running().sources();
    }

    /** The certificates that the configuration in force names. */
    public List<CertificateStatus> certificates() {
        return running().inForce().tls().certificates();
    }

    /**
     * Explains what would become of a request, by the configuration in force: the same pipeline judges it, with
     * transforms created for the purpose. Nothing is sent, no record is written, nothing is counted, and what
     * transforms remember is not touched; unless the request is live, no other service is asked either, and the verdict
     * is undecidable where one would have to be. Transforms that the embedding application gave are shared with
     * traffic: they cannot tell an explanation from a request. One request at a time; others wait. Blocks.
     *
     * @throws InvalidRequestException when the configuration has no such user
     */
    public Explanation explain(ExplainRequest request) throws InvalidRequestException, InterruptedException {
        return running().explain(request);
    }

    /** The address of {@code http_listen}, or null when it is disabled. */
    public @Nullable InetSocketAddress httpAddress() {
        return running().sockets().address(ListenerKind.HTTP);
    }

    /** The address of {@code https_listen}, or null when it is disabled. */
    public @Nullable InetSocketAddress httpsAddress() {
        return running().sockets().address(ListenerKind.HTTPS);
    }

    /** The address of {@code tunnel_listen}, or null when it is disabled. */
    public @Nullable InetSocketAddress tunnelAddress() {
        return running().sockets().address(ListenerKind.TUNNEL);
    }

    /** The address of {@code dns.listen}, UDP and TCP, or null when it is disabled. */
    public @Nullable InetSocketAddress dnsAddress() {
        DnsServer dns = running().sockets().dns();
        return dns == null ? null : dns.address();
    }

    /** The statistics of the DNS server, or null when it is disabled. */
    public @Nullable DnsStats dnsStats() {
        DnsServer dns = running().sockets().dns();
        return dns == null ? null : dns.stats();
    }

    /**
     * Accepts from a further TCP socket, which listens already in another network namespace, where every address is
     * local: the address at which a client arrives is the destination that it meant. The proxy closes it. Linux only;
     * blocks.
     *
     * @param kind what is recorded as its kind; the first bytes of a connection tell its protocol
     * @param descriptor of the socket
     * @throws StartException when it cannot be used
     */
    public void adopt(ListenerKind kind, int descriptor) throws StartException {
        running().sockets().adopt(kind, descriptor);
    }

    /** The configuration in force. */
    public ProxyConfig config() {
        return running().inForce().config();
    }

    /** Warnings about the configuration in force, one line each. */
    public List<String> warnings() {
        return running().inForce().warnings();
    }

    /** The number of the generation in force; it grows with every reload. */
    public int generation() {
        return running().generation();
    }

    /**
     * The value of a counter, for tests and for embedders without an OpenTelemetry SDK.
     *
     * @param name the name, such as {@code sallyport.judge.decisions}
     * @param labels the values of its labels, in the order of their declaration
     * @return 0 when nothing was counted, also when there is no such counter
     */
    public long count(String name, String... labels) {
        return running().meters().count(name, labels);
    }

    /**
     * The latest exchanges in the histograms of durations, at most one for each bucket: exemplars, for an exposition
     * that shows them. Empty before the start.
     */
    public List<TimedSeries> exemplars() {
        Engine present = engine;
        return present == null ? List.of() : present.meters().exemplars();
    }

    /**
     * Watches an event loop that runs beside the proxy in the same way as the proxy's own: when it is blocked for a
     * second, a WARN names it with its stack, and {@code sallyport.loop.blocked} counts it.
     *
     * @param name the name for messages
     * @param loop runs tasks one after the other on one thread; rejects them when it has ended
     */
    public void watch(String name, Executor loop) {
        running().watch(name, loop);
    }

    /** Whether exchanges are served and their audit records reach the sink. */
    public boolean ready() {
        Engine present = engine;
        return present != null && present.ready();
    }

    /**
     * Stops the proxy: listeners close, exchanges in progress may end within {@code proxy.limits.drain_timeout}, and
     * every audit record is written. Idempotent; blocks.
     */
    @Override
    public void close() {
        changing.lock();
        try {
            if (engine != null) {
                engine.close();
            }
        } finally {
            changing.unlock();
        }
    }

    /**
     * Whether {@link #close} had to abandon something: an event loop that a transform blocks for good, with the
     * exchanges on it, or audit records that their sink did not take. An error in the log says what. A process in which
     * this happened should end.
     */
    public boolean endedHard() {
        Engine present = engine;
        return present != null && present.endedHard();
    }

    private Engine running() {
        Engine present = engine;
        if (present == null) {
            throw new IllegalStateException("not started (expected: start() first)");
        }
        return present;
    }

    private Preflight.Outcome load() {
        ConfigResult read = settings.source().read(settings.environment(), catalog);
        Preflight.Outcome outcome = Preflight.check(read, settings.transforms(), trust);
        List<ConfigProblem> more = outcome instanceof Preflight.Outcome.Ready ready
                ? settings.hooks().configCheck().apply(ready.loaded())
                : List.of();
        ConfigResult found = outcome.result();
        return more.isEmpty()
                ? outcome
                : new Preflight.Outcome.Refused(
                        new ConfigResult.Invalid(more, found.warnings(), found.draft(), found.places()));
    }

    /** Describes a proxy. Not thread-safe. */
    public static final class Builder {

        private final List<TransformEntry<?>> given = new ArrayList<>();
        private @Nullable ConfigSource source;
        private Map<String, String> environment = System.getenv();
        private @Nullable PluginCatalog catalog;
        private @Nullable AuditSink auditSink;
        private boolean auditOnStandardOutput;
        private AuditListener auditListener = AuditListener.NONE;
        private Consumer<ConfigResult.Loaded> configListener = loaded -> {};
        private Runnable endListener = () -> {};
        private Consumer<Parents> parentListener = parents -> {};
        private Function<ConfigResult.Loaded, List<ConfigProblem>> configCheck = loaded -> List.of();
        private OpenTelemetry telemetry = OpenTelemetry.noop();
        private int loops;
        private boolean adopting;
        private ProblemForm problems = ProblemForm.DOCUMENT;
        private List<String> program = List.of();

        private Builder() {}

        /** The file to read at start and with every reload; it replaces {@link #configText}. */
        public Builder config(Path configFile) {
            source = ConfigSource.of(configFile);
            return this;
        }

        /**
         * The configuration itself; {@code name} replaces the file in messages, and paths are relative to the process.
         */
        public Builder configText(String name, String yaml) {
            return configText(name, yaml, Path.of(""));
        }

        /** As {@link #configText(String, String)}, with the folder to which paths are relative. */
        public Builder configText(String name, String yaml, Path base) {
            source = ConfigSource.of(name, yaml, base);
            return this;
        }

        /** Environment variables, for overrides and the {@code env} source; default: those of the process. */
        public Builder environment(Map<String, String> variables) {
            environment = Map.copyOf(variables);
            return this;
        }

        /** Whether all listeners may be disabled, because sockets come by {@link EgressProxy#adopt}; default: no. */
        public Builder adoptsListeners(boolean whether) {
            adopting = whether;
            return this;
        }

        /**
         * Tells refusals and failures so that clients show them to people: in the reason phrase of HTTP/1.1 as well, and
         * in JSON only to clients that name it in {@code Accept}. For proxies whose clients belong to one person at a
         * terminal.
         */
        public Builder explainsRefusals() {
            problems = ProblemForm.EXPLAINED;
            return this;
        }

        /** The plug-ins that the configuration can name; default: {@link EgressProxy#installedPlugins()}. */
        public Builder catalog(PluginCatalog plugins) {
            catalog = Objects.requireNonNull(plugins, "plugins");
            return this;
        }

        /**
         * Adds a transform after those of the configuration. It may read and write every part of a message and answer
         * locally. The proxy closes it.
         */
        public Builder transform(String name, Transform transform) {
            return transform(name, ProgrammaticTransform.UNDECLARED, transform);
        }

        /** As {@link #transform(String, Transform)}, with its own declaration. */
        public Builder transform(String name, Capabilities capabilities, Transform transform) {
            given.add(ProgrammaticTransform.entry(name, capabilities, transform, given.size()));
            return this;
        }

        /**
         * Adds a sink for audit records, beside those of {@code log.audit} in the configuration; the proxy closes it.
         * Without one, records go only to the {@link #auditListener}, since standard output and logs belong to the
         * application. {@link AuditSinks} has files, loggers and standard output.
         */
        public Builder auditSink(AuditSink sink) {
            auditSink = Objects.requireNonNull(sink, "sink");
            return this;
        }

        /**
         * For a program whose standard output is the audit log: records go there unless {@code log.audit} says
         * otherwise. Without this they do so only if it says {@code stdout: true}.
         */
        public Builder auditOnStandardOutput() {
            auditOnStandardOutput = true;
            return this;
        }

        /** Adds a listener that receives every audit record that has been written, on the writer's thread. */
        public Builder auditListener(AuditListener listener) {
            auditListener = auditListener.and(Objects.requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * Sets a listener that receives the configuration that {@link EgressProxy#start} has accepted, before anything
         * is built from it: the place to set up logging. Called on the thread that starts the proxy.
         */
        public Builder configListener(Consumer<ConfigResult.Loaded> listener) {
            configListener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /**
         * Sets a listener that receives the parent proxies of {@code proxy.upstream_proxy}, for clients of the application
         * that go out by the same way: at the start before anything is sent, and with every reload, whether or not they are
         * others. Called on the thread that starts or reloads the proxy.
         */
        public Builder parentListener(Consumer<Parents> listener) {
            parentListener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /**
         * Sets what runs when the proxy has ended and its last record is written, just before its meters are
         * unregistered: the last time to collect them. Called on the thread that closes, which it may block.
         */
        public Builder endListener(Runnable listener) {
            endListener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /**
         * Sets a further check of a configuration that is otherwise good, at the start and with every reload: with
         * problems it is refused. Called on the thread that starts or reloads the proxy.
         */
        public Builder configCheck(Function<ConfigResult.Loaded, List<ConfigProblem>> check) {
            configCheck = Objects.requireNonNull(check, "check");
            return this;
        }

        /** Where meters are registered, owned by the caller; default: nowhere. */
        public Builder openTelemetry(OpenTelemetry openTelemetry) {
            telemetry = Objects.requireNonNull(openTelemetry, "openTelemetry");
            return this;
        }

        /**
         * The words that begin commands of the application, for companions that run one as a process of its own; default: it
         * has none.
         */
        public Builder program(List<String> words) {
            program = List.copyOf(words);
            return this;
        }

        /** The number of event loops; default: one for each processor. */
        public Builder loops(int count) {
            if (count < 1) {
                throw new IllegalArgumentException("loops: " + count + " (expected: >= 1)");
            }
            loops = count;
            return this;
        }

        /**
         * A configuration that explains requests, without a proxy. Blocks.
         *
         * @param live whether it may ask whom transforms would ask, and resolve destinations
         * @throws StartException with everything that is wrong with the configuration
         */
        public DryRun dryRun(boolean live) throws StartException {
            return DryRun.open(settings(), plugins(), live);
        }

        /** The proxy, not yet started. */
        public EgressProxy build() {
            return new EgressProxy(settings(), plugins());
        }

        private PluginCatalog plugins() {
            return catalog == null ? installedPlugins() : catalog;
        }

        EmbedderSettings settings() {
            if (source == null) {
                throw new IllegalStateException("no configuration (expected: config or configText)");
            }
            return new EmbedderSettings(
                    source.adopting(adopting),
                    environment,
                    List.copyOf(given),
                    new EmbedderSettings.AuditOutput(auditSink, auditOnStandardOutput, auditListener),
                    new EmbedderSettings.Hooks(configListener, parentListener, endListener, configCheck),
                    telemetry,
                    problems,
                    program,
                    loops == 0 ? Runtime.getRuntime().availableProcessors() : loops);
        }
    }
}
