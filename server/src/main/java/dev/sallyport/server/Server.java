package dev.sallyport.server;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ManagementSection;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.server.management.ManagementApi;
import dev.sallyport.server.management.Reloader;
import dev.sallyport.server.metrics.Telemetry;
import dev.sallyport.server.otlp.Exports;
import dev.sallyport.server.plugin.Plugins;
import jakarta.inject.Inject;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The life cycle of a server: a proxy and its metrics listener. Not thread-safe: one thread runs it. */
public final class Server implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    private final EgressProxy proxy;
    private final MetricsListener metrics;
    private final ManagementApi management;
    private final Reloader reloader;
    private final Map<String, String> environment;
    private final Telemetry telemetry;
    private final Plugins plugins;
    private final Exports exports;
    private boolean started;

    @Inject
    Server(
            EgressProxy proxy,
            MetricsListener metrics,
            ManagementApi management,
            Reloader reloader,
            ServerModule.Options options,
            Telemetry telemetry,
            Plugins plugins,
            Exports exports) {
        this.proxy = proxy;
        this.metrics = metrics;
        this.management = management;
        this.reloader = reloader;
        this.environment = options.environment();
        this.telemetry = telemetry;
        this.plugins = plugins;
        this.exports = exports;
    }

    /**
     * Starts everything; when it returns, clients can connect.
     *
     * @throws Failure with all problems; nothing is left running
     */
    public void start() throws Failure {
        try {
            proxy.start();
            started = true;
            listen(proxy.config());
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
                Reloader.pipeline(proxy.config()),
                installed(plugins.installed()));
    }

    private static String installed(int plugins) {
        return switch (plugins) {
            case 0 -> "";
            case 1 -> ", 1 plug-in from the folder plugins";
            default -> ", " + plugins + " plug-ins from the folder plugins";
        };
    }

    private void listen(ProxyConfig config) throws Failure {
        ListenAddress listen = config.metrics().listen();
        if (listen != null) {
            metrics.start(listen, proxy::ready);
            proxy.watch("sallyport-metrics", metrics.loop());
        }
        ManagementSection section = config.management();
        if (section != null) {
            management.start(section, environment, metrics.address());
            proxy.watch("sallyport-management", management.loop());
        }
    }

    /**
     * Serves until a signal asks for the end, then drains and closes.
     *
     * @param signals the signals of this process
     */
    public void serve(Signals signals) throws InterruptedException {
        for (Signals.Wish wish = signals.next(); wish != Signals.Wish.STOP; wish = signals.next()) {
            reloader.reload();
        }
        LOG.info("stopping: waiting for running exchanges to end");
        close();
        if (proxy.endedHard()) {
            LOG.error("drain timed out: remaining exchanges end with the process");
        } else {
            LOG.info("stopped");
        }
    }

    /** The proxy inside. */
    public EgressProxy proxy() {
        return proxy;
    }

    /** The address of {@code metrics.listen}, or null when it is off. */
    public @Nullable InetSocketAddress metricsAddress() {
        return metrics.address();
    }

    /** Where the management API is answered, or null when it is off. */
    public @Nullable InetSocketAddress managementAddress() {
        return management.address();
    }

    /** Drains as {@code proxy.limits.drain_timeout} allows. Idempotent; blocks. */
    @Override
    public void close() {
        exports.ending(drainTimeout());
        proxy.close();
        management.close();
        metrics.close();
        exports.drain(); // where the proxy had not been started
        telemetry.close();
        exports.close();
        plugins.close();
    }

    private Duration drainTimeout() {
        Duration limit = started ? proxy.config().proxy().limits().drainTimeout() : Duration.ZERO;
        started = false;
        return limit;
    }
}
