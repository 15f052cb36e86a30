package dev.sallyport.testkit;

import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.pipeline.BlockingStepExecutor;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.PipelineSettings;
import dev.sallyport.core.pipeline.TransformServices;
import dev.sallyport.core.secret.EngineSourceContext;
import dev.sallyport.core.secret.SecretStore;
import dev.sallyport.spi.AddressResolver;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Connector;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import io.netty.channel.EventLoop;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Builds the parts of a harness. Not thread-safe. */
final class HarnessSetup {

    /** Settings that every configuration needs and no transform reads. */
    private static final Map<String, String> OTHER_SECTIONS =
            Map.of("dns", "{enabled: false}", "tls", "{ca_cert: ca.pem, ca_key: ca.key}");

    private static final HttpCaller NO_NETWORK =
            call -> CompletableFuture.failedFuture(new IOException("the harness has no network (expected: no calls)"));

    private static final AddressResolver NO_NAMES =
            host -> CompletableFuture.failedFuture(new IOException("the harness has no network (expected: no names)"));

    private record NoConnections() implements Connector {

        @Override
        public Route route(String host, int port, boolean secure) {
            return Route.DIRECT;
        }

        @Override
        public Socket connect(String host, int port, boolean secure) throws IOException {
            throw new IOException("the harness has no network (expected: no connections)");
        }
    }

    private final String yaml;
    private VirtualTime time = new VirtualTime();
    private final MeterRegistry meters = new MeterRegistry(OpenTelemetry.noop());
    private final List<TransformFactory<?>> factories = new ArrayList<>();
    private final List<TransformEntry<?>> given = new ArrayList<>();
    private FakeSecrets secrets = new FakeSecrets();
    private Map<String, String> environment = Map.of();
    private HttpCaller http = NO_NETWORK;
    private Upstream upstream = request -> TestResponse.status(200);
    private boolean far;
    private long maxRequestBody = 1 << 20;
    private Duration transformTimeout = Duration.ofSeconds(10);
    private @Nullable EngineSourceContext lent;
    private @Nullable SecretStore store;

    /** A transform that a test made itself. */
    private record Given(String name, Capabilities capabilities) implements TransformFactory<Given.Config> {

        record Config(Transform transform) {}

        @Override
        public Descriptor<Config> descriptor() {
            return Descriptor.of(name, Config.class, "Given by a test.");
        }

        @Override
        public Capabilities capabilities(Config config) {
            return capabilities;
        }

        @Override
        public Transform create(Config config, BuildContext context) {
            return config.transform();
        }
    }

    HarnessSetup(String yaml) {
        this.yaml = yaml;
    }

    void secrets(FakeSecrets values) {
        secrets = values;
    }

    void environment(Map<String, String> variables) {
        environment = Map.copyOf(variables);
    }

    void at(Instant start) {
        time = new VirtualTime(start);
    }

    void http(HttpCaller caller) {
        http = caller;
    }

    void upstream(Upstream script) {
        upstream = script;
    }

    void far() {
        far = true;
    }

    boolean isFar() {
        return far;
    }

    void factory(TransformFactory<?> factory) {
        factories.add(factory);
    }

    void then(String name, Capabilities capabilities, Transform transform) {
        given.add(new TransformEntry<>(
                new Given(name, capabilities),
                new Given.Config(transform),
                new Location("test", 0, 0),
                "/given/" + given.size()));
    }

    void maxRequestBody(long bytes) {
        maxRequestBody = bytes;
    }

    void transformTimeout(Duration limit) {
        transformTimeout = limit;
    }

    MeterRegistry meters() {
        return meters;
    }

    VirtualTime time() {
        return time;
    }

    FakeSecrets secrets() {
        return secrets;
    }

    Upstream upstream() {
        return upstream;
    }

    BodyCaps caps() {
        return new BodyCaps(maxRequestBody, Long.MAX_VALUE);
    }

    SecretStore store() {
        return Objects.requireNonNull(store, "bind first");
    }

    void closeSecrets() {
        store().close();
        Objects.requireNonNull(lent, "bind first").close();
    }

    /** Binds the configuration; the store for its secrets is there afterwards. */
    List<TransformEntry<?>> bind() {
        Map<String, SecretSourceFactory<?>> sources = sources();
        lent = new EngineSourceContext(environment, time.clock(), http);
        store = new SecretStore(sources, lent, time.scheduler());
        PluginCatalog catalog = PluginCatalog.of(transforms(), new LinkedHashSet<>(sources.values()));
        return switch (ConfigLoader.load("test.yaml", document(), Path.of(""), Map.of(), catalog)) {
            case ConfigResult.Invalid invalid -> throw new ConfigProblemsException(invalid.problems());
            case ConfigResult.Loaded loaded -> {
                List<TransformEntry<?>> entries =
                        new ArrayList<>(loaded.config().transforms());
                entries.addAll(given);
                entries.addAll(loaded.config().sections());
                yield entries;
            }
        };
    }

    /** The configuration, completed with missing sections. */
    private String document() {
        StringBuilder document = new StringBuilder(yaml).append('\n');
        OTHER_SECTIONS.forEach((section, content) -> {
            if (yaml.lines().noneMatch(line -> line.startsWith(section + ":"))) {
                document.append(section).append(": ").append(content).append('\n');
            }
        });
        return document.toString();
    }

    private List<TransformFactory<?>> transforms() {
        List<TransformFactory<?>> all = new ArrayList<>(factories);
        for (TransformFactory<?> installed : ServiceLoader.load(TransformFactory.class)) {
            if (factories.stream().noneMatch(factory -> factory.getClass() == installed.getClass())) {
                all.add(installed);
            }
        }
        return all;
    }

    private Map<String, SecretSourceFactory<?>> sources() {
        Map<String, SecretSourceFactory<?>> sources = new LinkedHashMap<>();
        sources.put("fake", secrets);
        for (SecretSourceFactory<?> installed : ServiceLoader.load(SecretSourceFactory.class)) {
            installed.descriptor().names().forEach(name -> sources.put(name, installed));
        }
        sources.putIfAbsent("env", new EnvironmentSecrets());
        return sources;
    }

    /** Makes the transforms. */
    Generation build(List<TransformEntry<?>> entries, EventLoop loop) {
        GenerationBuilder builder = new GenerationBuilder(new TransformServices(
                time.clock(),
                time.scheduler(),
                http,
                NO_NAMES,
                new NoConnections(),
                store(),
                meters,
                new BlockingStepExecutor(16),
                List.of(loop),
                environment));
        List<ConfigProblem> problems = new ArrayList<>();
        PipelineSettings settings = new PipelineSettings(transformTimeout, Duration.ofSeconds(10), caps());
        Generation generation = builder.build(entries, settings, problems::add);
        if (generation == null) {
            throw new ConfigProblemsException(problems);
        }
        return generation;
    }
}
