package dev.sallyport.server;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Provides;
import com.google.inject.Stage;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ExposureWarnings;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.server.log.LogLevels;
import dev.sallyport.server.management.ManagementApi;
import dev.sallyport.server.management.RecentAudit;
import dev.sallyport.server.management.Reloader;
import dev.sallyport.server.metrics.Telemetry;
import dev.sallyport.server.otlp.Exports;
import dev.sallyport.server.plugin.Plugins;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires a server. Plug-ins are loaded before: a missing or broken one is not a wiring error. */
public final class ServerModule extends AbstractModule {

    private final Options options;
    private final Plugins plugins;
    private final Exports exports;

    /**
     * The settings from the command line.
     *
     * @param config the file, read at start and with every reload
     * @param environment variables, for overrides and the {@code env} source
     * @param audit an additional sink for audit records; null sends them to standard output
     */
    public record Options(
            Path config,
            Map<String, String> environment,
            @Nullable AuditSink audit) {}

    private ServerModule(Options options, Plugins plugins, Exports exports) {
        this.options = options;
        this.plugins = plugins;
        this.exports = exports;
    }

    /**
     * A server that has not been started; it closes the plug-ins and the sink.
     *
     * @throws Failure with the variables for exports that cannot be used; the plug-ins are closed
     */
    public static Server server(Options options, Plugins plugins) throws Failure {
        Exports exports;
        try {
            exports = Exports.of(options.environment());
        } catch (Failure e) {
            plugins.close();
            throw e;
        }
        // Its generated classes cost more than they save here, and call what Java 25 warns of.
        System.setProperty("guice_bytecode_gen_option", "DISABLED");
        return Guice.createInjector(Stage.DEVELOPMENT, new ServerModule(options, plugins, exports))
                .getInstance(Server.class);
    }

    @Override
    protected void configure() {
        binder().requireExplicitBindings();
        binder().requireAtInjectOnConstructors();
        bind(Server.class);
        bind(MetricsListener.class);
        bind(Options.class).toInstance(options);
        bind(ManagementApi.class);
        bind(Reloader.class);
        bind(RecentAudit.class).in(Singleton.class);
        bind(Telemetry.class).in(Singleton.class);
        bind(Plugins.class).toInstance(plugins);
        bind(Exports.class).toInstance(exports);
    }

    private void configured(ConfigResult.Loaded loaded, Telemetry telemetry, RecentAudit recent) {
        if (loaded.config().management() != null) {
            recent.begin();
        }
        LogLevels.set(loaded.config().log().level());
        Logger log = LoggerFactory.getLogger(ServerModule.class);
        if (loaded.config().metrics().nativeHistograms()) {
            telemetry.nativeHistograms();
        }
        ExposureWarnings.ofMetrics(loaded.config(), loaded.places()).forEach(warning -> log.warn("{}", warning));
        if (loaded.config().proxy().trace() == ProxySection.Trace.CONTINUE && !exports.traces()) {
            log.warn(
                    "proxy.trace is continue, but no spans are exported: origins get a parent that nobody knows (expected: OTEL_TRACES_EXPORTER=otlp, or trace: pass)");
        }
        exports.countWith(telemetry.getMeterProvider().get("dev.sallyport.server"));
        exports.begin(loaded.config());
    }

    @Provides
    @Singleton
    EgressProxy proxy(Telemetry telemetry, RecentAudit recent) {
        EgressProxy.Builder builder = EgressProxy.builder()
                .config(options.config())
                .environment(options.environment())
                .catalog(plugins.catalog())
                .program(Home.launcher())
                .openTelemetry(telemetry)
                .auditListener(exports)
                .auditListener(recent)
                .configCheck(loaded -> ManagementApi.problems(loaded, options.environment()))
                .parentListener(exports::through)
                .endListener(() -> {
                    exports.drain();
                    telemetry.push();
                })
                .configListener(loaded -> configured(loaded, telemetry, recent));
        AuditSink audit = options.audit();
        EgressProxy proxy = (audit == null ? builder.auditOnStandardOutput() : builder.auditSink(audit)).build();
        telemetry.exemplars(proxy::exemplars);
        return proxy;
    }
}
