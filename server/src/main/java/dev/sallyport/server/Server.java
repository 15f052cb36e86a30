package dev.sallyport.server;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.server.log.LogLevels;
import dev.sallyport.server.metrics.Telemetry;
import dev.sallyport.server.plugin.Plugins;
import jakarta.inject.Inject;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The life of a server: a proxy and what stands beside it. Not thread-safe: one thread runs it. */
public final class Server implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    private final EgressProxy proxy;
    private final MetricsListener metrics;
    private final Telemetry telemetry;
    private final Plugins plugins;

    @Inject
    Server(EgressProxy proxy, MetricsListener metrics, Telemetry telemetry, Plugins plugins) {
        this.proxy = proxy;
        this.metrics = metrics;
        this.telemetry = telemetry;
        this.plugins = plugins;
    }

    /**
     * Starts everything; when it returns, clients can connect.
     *
     * @throws Failure with everything that is wrong; nothing is left running
     */
    public void start() throws Failure {
        try {
            proxy.start();
            ListenAddress listen = proxy.config().metrics().listen();
            if (listen != null) {
                metrics.start(listen);
                proxy.watch("sallyport-metrics", metrics.loop());
            }
        } catch (StartException e) {
            close();
            throw new Failure(e.problems());
        } catch (Failure | RuntimeException e) {
            close();
            throw e;
        }
        OldGeneration.watch();
        proxy.warnings().forEach(LOG::warn);
        LOG.info(
                "ready after {} ms: {}{}",
                System.currentTimeMillis()
                        - ManagementFactory.getRuntimeMXBean().getStartTime(),
                pipeline(),
                plugins.installed() == 0 ? "" : ", " + plugins.installed() + " plug-ins from the folder plugins");
    }

    private String pipeline() {
        ProxyConfig config = proxy.config();
        String names = Stream.concat(config.transforms().stream(), config.sections().stream())
                .map(TransformEntry::name)
                .collect(Collectors.joining(" > "));
        return names.isEmpty() ? "no transforms" : names;
    }

    /**
     * Serves until someone asks for the end, then drains and closes.
     *
     * @param signals those of this process
     */
    public void serve(Signals signals) throws InterruptedException {
        for (Signals.Wish wish = signals.next(); wish != Signals.Wish.STOP; wish = signals.next()) {
            reload();
        }
        LOG.info("stopping: exchanges under way may end");
        close();
        if (proxy.endedHard()) {
            LOG.error("ended hard: what would not end by itself ends with the process");
        } else {
            LOG.info("stopped");
        }
    }

    /** Reads the configuration again; what came of it is logged. */
    void reload() {
        switch (proxy.reload()) {
            case ReloadResult.Reloaded reloaded -> {
                LogLevels.set(proxy.config().log().level());
                reloaded.warnings().forEach(LOG::warn);
                LOG.info("reloaded: generation {} ({})", reloaded.generation(), pipeline());
            }
            case ReloadResult.Refused refused -> {
                List<ConfigProblem> problems = refused.problems();
                LOG.error(
                        "not reloaded, generation {} goes on: {} problem{} in the configuration",
                        proxy.generation(),
                        problems.size(),
                        problems.size() == 1 ? "" : "s");
                problems.forEach(problem -> LOG.error("{}", problem));
            }
        }
    }

    /** The proxy inside. */
    public EgressProxy proxy() {
        return proxy;
    }

    /** Where {@code /healthz} and {@code /metrics} are answered, or null when {@code metrics.listen} is off. */
    public @Nullable InetSocketAddress metricsAddress() {
        return metrics.address();
    }

    /** Drains as {@code proxy.limits.drain_timeout} allows. Idempotent; blocks. */
    @Override
    public void close() {
        proxy.close();
        metrics.close();
        telemetry.close();
        plugins.close();
    }
}
