package dev.sallyport.server.quickstart;

import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ServerAddress;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.LocalNames;
import dev.sallyport.server.Server;
import dev.sallyport.server.ServerModule;
import dev.sallyport.server.plugin.Plugins;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The demo API, its name server, and a proxy with the configuration from the folder; all run until closed. */
final class Quickstart implements AutoCloseable {

    private static final String TUNNEL_VARIABLE = "SALLYPORT_PROXY_TUNNEL_LISTEN";
    private static final String METRICS_VARIABLE = "SALLYPORT_METRICS_LISTEN";
    private static final String RESOLVER_VARIABLE = "SALLYPORT_DNS_UPSTREAM_RESOLVER";
    private static final int API_PORT = 9443;
    private static final int NAMES_PORT = 15353;
    private static final int KEY_BYTES = 12;

    private final Folder folder;
    private final Demo demo;
    private final String key;
    private final @Nullable PolicyApi policies;

    private Quickstart(Folder folder, Demo demo, String key, @Nullable PolicyApi policies) {
        this.folder = folder;
        this.demo = demo;
        this.key = key;
        this.policies = policies;
    }

    /** What runs; null for what a start that failed had not come to. */
    private record Demo(
            @Nullable LocalNames names,
            @Nullable DemoApi api,
            @Nullable Server server,
            @Nullable DemoControl control) {

        void close() {
            if (server != null) {
                server.close();
            }
            if (control != null) {
                control.remove();
            }
            if (api != null) {
                api.close();
            }
            if (names != null) {
                names.close();
            }
        }
    }

    /**
     * The settings of a quickstart.
     *
     * @param folder the folder for its state
     * @param alone true to use only free ports, beside anything else that runs here, and the shipped configuration
     * @param audit receives the audit records
     */
    record Settings(Path folder, boolean alone, AuditSink audit) {}

    /** Starts everything. Blocks. */
    static Quickstart start(Settings settings) throws Failure, InterruptedException {
        String key = Objects.requireNonNullElseGet(System.getenv(DemoNames.SECRET), Quickstart::newKey);
        JavaClient.prepare();
        Plugins plugins = Home.loadPlugins();
        LocalNames names = null;
        DemoApi api = null;
        Server server = null;
        DemoControl control = null;
        try {
            names = DemoNames.start(settings.alone() ? 0 : NAMES_PORT);
            api = DemoApi.start(settings.alone() ? 0 : API_PORT, key);
            Folder folder = new Folder(settings.folder());
            folder.fill(plugins.catalog(), api.certificateOfItsCa(), settings.alone());
            Map<String, String> environment = new HashMap<>(System.getenv());
            environment.put(DemoNames.SECRET, key);
            if (ConfigLoader.load(folder.config(), environment, plugins.catalog())
                    instanceof ConfigResult.Loaded loaded) {
                environment.putAll(detours(loaded.config(), settings.alone(), names.port()));
                control = DemoControl.of(loaded.config(), folder, settings.alone(), environment);
            }
            Server starting = ServerModule.server(
                    new ServerModule.Options(folder.config(), environment, settings.audit()), plugins);
            starting.start();
            server = starting;
            PolicyApi policies = control == null ? null : control.connect(key);
            return new Quickstart(folder, new Demo(names, api, server, control), key, policies);
        } catch (IOException e) {
            new Demo(names, api, server, control).close();
            plugins.close();
            throw new Failure("the demo cannot be set up: " + e.getMessage());
        } catch (Failure | RuntimeException | InterruptedException e) {
            new Demo(names, api, server, control).close();
            plugins.close();
            throw e;
        }
    }

    private static String newKey() {
        byte[] random = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(random);
        return "demo-key-" + HexFormat.of().formatHex(random);
    }

    /** Overrides for settings of the file that are unavailable on this machine at the moment. */
    private static Map<String, String> detours(ProxyConfig config, boolean alone, int namesPort) throws Failure {
        Map<String, String> detours = new HashMap<>();
        ListenAddress tunnel = config.proxy().tunnelListen();
        if (tunnel == null) {
            throw new Failure("proxy.tunnel_listen is disabled (expected: an address, for the quickstart)");
        }
        if (alone || isTaken(tunnel)) {
            detours.put(TUNNEL_VARIABLE, "127.0.0.1:0");
        }
        ListenAddress metrics = config.metrics().listen();
        if (metrics != null && (alone || isTaken(metrics))) {
            detours.put(METRICS_VARIABLE, "127.0.0.1:0");
        }
        if (asksDemoNames(config.dns().upstreamResolver()) && namesPort != NAMES_PORT) {
            detours.put(RESOLVER_VARIABLE, "127.0.0.1:" + namesPort);
        }
        return detours;
    }

    private static boolean asksDemoNames(@Nullable ServerAddress resolver) {
        return resolver != null
                && resolver.port() == NAMES_PORT
                && resolver.address().equals(InetAddress.getLoopbackAddress());
    }

    static boolean isTaken(ListenAddress address) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(address.toSocketAddress());
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    SampleRequests samples() {
        return new SampleRequests(apiPort());
    }

    Server server() {
        return Objects.requireNonNull(demo.server());
    }

    InetSocketAddress proxyAddress() {
        return Objects.requireNonNull(server().proxy().tunnelAddress(), "tunnel_listen");
    }

    @Nullable InetSocketAddress metricsAddress() {
        return server().metricsAddress();
    }

    Path caCertificate() {
        return folder.caCertificate();
    }

    Path config() {
        return folder.config();
    }

    /** The key that the demo API accepts. */
    String key() {
        return key;
    }

    /** Replaces the key, at the demo API and in the secret of the control plane; returns the new one. */
    String rotateKey(PolicyApi through) throws Failure, InterruptedException {
        String next = newKey();
        Objects.requireNonNull(demo.api()).accept(next);
        through.rotate(next);
        return next;
    }

    int apiPort() {
        return Objects.requireNonNull(demo.api()).port();
    }

    /** The control plane, or null when the user has removed it from the configuration. */
    @Nullable PolicyApi policies() {
        return policies;
    }

    @Override
    public void close() {
        demo.close();
    }
}
