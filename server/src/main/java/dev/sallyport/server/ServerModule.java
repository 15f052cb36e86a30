package dev.sallyport.server;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Provides;
import com.google.inject.Stage;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ExposureWarnings;
import dev.sallyport.server.log.LogLevels;
import dev.sallyport.server.metrics.Telemetry;
import dev.sallyport.server.plugin.Plugins;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a server is made of. Plug-ins are loaded before: they may be missing or broken, which is no fault of the wiring. */
public final class ServerModule extends AbstractModule {

    private final Options options;
    private final Plugins plugins;

    /**
     * What the command line decides.
     *
     * @param config read at start and with every reload
     * @param environment variables, for overrides and the {@code env} source
     * @param audit where audit records go beside what the configuration says; null: standard output is theirs
     */
    public record Options(
            Path config,
            Map<String, String> environment,
            @Nullable AuditSink audit) {}

    private ServerModule(Options options, Plugins plugins) {
        this.options = options;
        this.plugins = plugins;
    }

    /** A server that has not been started; it closes the plug-ins and the sink. */
    public static Server server(Options options, Plugins plugins) {
        // Its generated classes cost more than they save here, and call what Java 25 warns of.
        System.setProperty("guice_bytecode_gen_option", "DISABLED");
        return Guice.createInjector(Stage.DEVELOPMENT, new ServerModule(options, plugins))
                .getInstance(Server.class);
    }

    @Override
    protected void configure() {
        binder().requireExplicitBindings();
        binder().requireAtInjectOnConstructors();
        bind(Server.class);
        bind(MetricsListener.class);
        bind(Telemetry.class).in(Singleton.class);
        bind(Plugins.class).toInstance(plugins);
    }

    private static void configured(ConfigResult.Loaded loaded) {
        LogLevels.set(loaded.config().log().level());
        Logger log = LoggerFactory.getLogger(ServerModule.class);
        ExposureWarnings.ofMetrics(loaded.config(), loaded.places()).forEach(warning -> log.warn("{}", warning));
    }

    @Provides
    @Singleton
    EgressProxy proxy(Telemetry telemetry) {
        EgressProxy.Builder builder = EgressProxy.builder()
                .config(options.config())
                .environment(options.environment())
                .catalog(plugins.catalog())
                .openTelemetry(telemetry)
                .configListener(ServerModule::configured);
        AuditSink audit = options.audit();
        return (audit == null ? builder.auditOnStandardOutput() : builder.auditSink(audit)).build();
    }
}
