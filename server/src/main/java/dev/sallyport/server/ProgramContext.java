package dev.sallyport.server;

import dev.sallyport.core.StartException;
import dev.sallyport.core.SubcommandContext;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.server.log.LogLevels;
import dev.sallyport.server.metrics.Telemetry;
import dev.sallyport.server.plugin.Plugins;
import io.opentelemetry.api.OpenTelemetry;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The services of this process for a command of another module. */
public final class ProgramContext implements SubcommandContext, AutoCloseable {

    private final Plugins plugins;
    private final Telemetry telemetry = new Telemetry();
    private final PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    private final PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);

    private ProgramContext(Plugins plugins) {
        this.plugins = plugins;
    }

    /**
     * Loads the plug-ins. Blocks.
     *
     * @throws Failure with every plug-in that cannot be used
     */
    public static ProgramContext open() throws Failure {
        return new ProgramContext(Home.loadPlugins());
    }

    @Override
    public Map<String, String> environment() {
        return System.getenv();
    }

    @Override
    public InputStream in() {
        return System.in;
    }

    @Override
    public PrintWriter out() {
        return out;
    }

    @Override
    public PrintWriter err() {
        return err;
    }

    @Override
    public ConfigResult load(Path file) {
        return ConfigLoader.load(file, environment(), plugins.catalog());
    }

    @Override
    public OpenTelemetry telemetry() {
        return telemetry;
    }

    @Override
    public void serve(ProxyConfig config, BooleanSupplier ready) throws StartException, InterruptedException {
        Signals signals = Signals.install();
        LogLevels.set(config.log().level());
        try (MetricsListener metrics = new MetricsListener(telemetry)) {
            ListenAddress listen = config.metrics().listen();
            if (listen != null) {
                metrics.start(listen, ready);
            }
            while (signals.next() != Signals.Wish.STOP) {
                err.println("sallyport: SIGHUP has no effect here: changes take effect with a restart");
            }
        } catch (Failure e) {
            throw new StartException(e.problems());
        }
    }

    @Override
    public void close() {
        telemetry.close();
        plugins.close();
    }
}
