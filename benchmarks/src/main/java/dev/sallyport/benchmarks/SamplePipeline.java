package dev.sallyport.benchmarks;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.body.BodyCaps;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
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
import dev.sallyport.spi.Connector;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SecretSourceFactory;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Generations built from a configuration as the proxy builds them, without a network. For one thread. */
final class SamplePipeline implements AutoCloseable {

    private static final Map<String, String> ENVIRONMENT = Map.of(
            "TOKEN",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "JUDGE_KEY",
            "key",
            "ACCOUNT",
            Samples.serviceAccount());
    private static final PipelineSettings SETTINGS =
            new PipelineSettings(Duration.ofSeconds(10), Duration.ofSeconds(10), new BodyCaps(1 << 20, 1 << 20));

    private final EventLoop loop = new DefaultEventLoop();
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private final PluginCatalog catalog = EgressProxy.installedPlugins();
    private final EngineSourceContext lent;
    private final SecretStore secrets;
    private final GenerationBuilder builder;

    SamplePipeline() {
        HttpCaller offline = call -> CompletableFuture.failedFuture(new IOException("no network"));
        lent = new EngineSourceContext(ENVIRONMENT, Clock.systemUTC(), offline);
        Map<String, SecretSourceFactory<?>> sources = new HashMap<>();
        for (String type : catalog.sourceTypes()) {
            sources.put(type, Objects.requireNonNull(catalog.source(type)));
        }
        secrets = new SecretStore(sources, lent, timers);
        builder = new GenerationBuilder(new TransformServices(
                Clock.systemUTC(),
                timers,
                offline,
                host -> CompletableFuture.failedFuture(new IOException("no network")),
                new Connector() {
                    @Override
                    public Route route(String host, int port, boolean secure) {
                        return Route.DIRECT;
                    }

                    @Override
                    public Socket connect(String host, int port, boolean secure) throws IOException {
                        throw new IOException("no network");
                    }
                },
                secrets,
                new MeterRegistry(OpenTelemetry.noop()),
                new BlockingStepExecutor(1),
                List.of(loop),
                ENVIRONMENT));
    }

    /** The loop that requests must claim to run on. */
    EventLoop loop() {
        return loop;
    }

    /** Reads entries of {@code transforms}, in YAML flow style. */
    List<TransformEntry<?>> entries(List<String> transforms) {
        String yaml = "dns: {enabled: false}\ntls: {ca_cert: a, ca_key: b}\ntransforms: ["
                + String.join(",\n", transforms) + "]\n";
        return switch (ConfigLoader.load("sample.yaml", yaml, Path.of(""), ENVIRONMENT, catalog)) {
            case ConfigResult.Loaded loaded -> loaded.config().transforms();
            case ConfigResult.Invalid invalid -> throw new IllegalStateException(String.valueOf(invalid.problems()));
        };
    }

    /** Builds a generation. */
    Generation build(List<TransformEntry<?>> entries) {
        List<ConfigProblem> problems = new ArrayList<>();
        Generation generation = builder.build(entries, SETTINGS, problems::add);
        if (generation == null) {
            throw new IllegalStateException(String.valueOf(problems));
        }
        return generation;
    }

    @Override
    public void close() throws Exception {
        secrets.close();
        lent.close();
        timers.shutdownNow();
        loop.shutdownGracefully();
    }
}
