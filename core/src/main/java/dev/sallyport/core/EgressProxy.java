package dev.sallyport.core;

import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.SectionFactory;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.dns.DnsServer;
import dev.sallyport.core.dns.DnsStats;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.spi.Part;
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
import java.util.function.Consumer;
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

    private final Builder settings;
    private final PluginCatalog catalog;
    private volatile @Nullable Engine engine;

    private EgressProxy(Builder settings) {
        this.settings = settings;
        this.catalog = settings.catalog == null ? installedPlugins() : settings.catalog;
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
        return Preflight.check(read, List.of()).result();
    }

    /**
     * As {@link #check(ConfigResult)}, and also checks the values of secrets whose sources allow it: those in the
     * environment and in files of this machine. A value is never shown.
     *
     * @param catalog the catalog with which it was read
     * @param environment the environment of the proxy
     */
    public static ConfigResult check(ConfigResult read, PluginCatalog catalog, Map<String, String> environment) {
        ConfigResult checked = check(read);
        return checked instanceof ConfigResult.Loaded loaded
                ? Preflight.withSecrets(loaded, catalog, environment)
                : checked;
    }

    /** The plug-ins and companions that {@link ServiceLoader} finds on the class path. */
    public static PluginCatalog installedPlugins() {
        List<TransformFactory<?>> transforms = new ArrayList<>();
        for (TransformFactory<?> factory : ServiceLoader.load(TransformFactory.class)) {
            transforms.add(factory);
        }
        List<SecretSourceFactory<?>> sources = new ArrayList<>();
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
    public synchronized void start() throws StartException {
        if (engine != null) {
            throw new IllegalStateException("started before (expected: a new proxy)");
        }
        Preflight.Outcome outcome = load();
        if (outcome instanceof Preflight.Outcome.Refused refused) {
            throw StartException.of(refused.invalid().problems());
        }
        Preflight.Outcome.Ready ready = (Preflight.Outcome.Ready) outcome;
        settings.configListener.accept(ready.loaded());
        try {
            engine = Engine.start(ready, given(), settings, catalog, this::reload);
        } catch (LinkageError e) {
            throw ClassPath.complaint(e);
        }
    }

    /**
     * Reads the configuration again and replaces the pipeline atomically. Connections stay; exchanges in progress end
     * under the policy that they began with.
     */
    public synchronized ReloadResult reload() {
        Engine running = running();
        if (running.isClosed()) {
            throw new IllegalStateException("closed (expected: a running proxy)");
        }
        return running.reload(load(), given());
    }

    /** The address of {@code http_listen}, or null when it is disabled. */
    public @Nullable InetSocketAddress httpAddress() {
        return running().address(ListenerKind.HTTP);
    }

    /** The address of {@code https_listen}, or null when it is disabled. */
    public @Nullable InetSocketAddress httpsAddress() {
        return running().address(ListenerKind.HTTPS);
    }

    /** The address of {@code tunnel_listen}, or null when it is disabled. */
    public @Nullable InetSocketAddress tunnelAddress() {
        return running().address(ListenerKind.TUNNEL);
    }

    /** The address of {@code dns.listen}, UDP and TCP, or null when it is disabled. */
    public @Nullable InetSocketAddress dnsAddress() {
        DnsServer dns = running().dns();
        return dns == null ? null : dns.address();
    }

    /** The statistics of the DNS server, or null when it is disabled. */
    public @Nullable DnsStats dnsStats() {
        DnsServer dns = running().dns();
        return dns == null ? null : dns.stats();
    }

    /** The configuration in force. */
    public ProxyConfig config() {
        return running().config();
    }

    /** Warnings about the configuration in force, one line each. */
    public List<String> warnings() {
        return running().warnings();
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
        return running().count(name, labels);
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
    public synchronized void close() {
        if (engine != null) {
            engine.close();
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
        Path file = settings.file;
        ConfigResult result = file != null
                ? ConfigLoader.load(file, settings.environment, catalog)
                : ConfigLoader.load(settings.source, settings.text, Path.of(""), settings.environment, catalog);
        return Preflight.check(result, settings.given);
    }

    private List<TransformEntry<?>> given() {
        return settings.given;
    }

    /** Describes a proxy. Not thread-safe. */
    public static final class Builder {

        private final List<TransformEntry<?>> given = new ArrayList<>();
        private @Nullable Path file;
        private String source = "";
        private String text = "";
        private Map<String, String> environment = System.getenv();
        private @Nullable PluginCatalog catalog;
        private @Nullable AuditSink auditSink;
        private boolean auditOnStandardOutput;
        private AuditListener auditListener = AuditListener.NONE;
        private Consumer<ConfigResult.Loaded> configListener = loaded -> {};
        private OpenTelemetry telemetry = OpenTelemetry.noop();
        private int loops;

        private Builder() {}

        /** The file to read at start and with every reload; it replaces {@link #configText}. */
        public Builder config(Path configFile) {
            file = Objects.requireNonNull(configFile, "configFile");
            return this;
        }

        /**
         * The configuration itself; {@code name} replaces the file in messages, and paths are relative to the process.
         */
        public Builder configText(String name, String yaml) {
            file = null;
            source = Objects.requireNonNull(name, "name");
            text = Objects.requireNonNull(yaml, "yaml");
            return this;
        }

        /** Environment variables, for overrides and the {@code env} source; default: those of the process. */
        public Builder environment(Map<String, String> variables) {
            environment = Map.copyOf(variables);
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
            return transform(
                    name,
                    Capabilities.builder()
                            .reads(Part.values())
                            .writes(Part.values())
                            .effects(Effect.ANSWERS_LOCALLY)
                            .build(),
                    transform);
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

        /** Sets a listener that receives every audit record that has been written, on the writer's thread. */
        public Builder auditListener(AuditListener listener) {
            auditListener = Objects.requireNonNull(listener, "listener");
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

        /** Where meters are registered, owned by the caller; default: nowhere. */
        public Builder openTelemetry(OpenTelemetry openTelemetry) {
            telemetry = Objects.requireNonNull(openTelemetry, "openTelemetry");
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

        /** The proxy, not yet started. */
        public EgressProxy build() {
            if (file == null && source.isEmpty()) {
                throw new IllegalStateException("no configuration (expected: config or configText)");
            }
            return new EgressProxy(this);
        }

        Map<String, String> environment() {
            return environment;
        }

        /** The folder against which relative paths of the configuration are resolved. */
        Path folder() {
            Path folder = file == null ? Path.of("") : file.toAbsolutePath().getParent();
            return folder == null ? Path.of("/") : folder;
        }

        @Nullable AuditSink auditSink() {
            return auditSink;
        }

        boolean isAuditOnStandardOutput() {
            return auditOnStandardOutput;
        }

        AuditListener auditListener() {
            return auditListener;
        }

        OpenTelemetry telemetry() {
            return telemetry;
        }

        int loops() {
            return loops == 0 ? Runtime.getRuntime().availableProcessors() : loops;
        }
    }
}
