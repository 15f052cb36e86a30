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

/** The demo API, its names, and a proxy with the configuration from the folder; all of it runs, until closed. */
final class Quickstart implements AutoCloseable {

    private static final String KEY_VARIABLE = "DEMO_API_KEY";
    private static final String TUNNEL_VARIABLE = "SALLYPORT_PROXY_TUNNEL_LISTEN";
    private static final String METRICS_VARIABLE = "SALLYPORT_METRICS_LISTEN";
    private static final String RESOLVER_VARIABLE = "SALLYPORT_DNS_UPSTREAM_RESOLVER";
    private static final int API_PORT = 9443;
    private static final int NAMES_PORT = 15353;
    private static final int KEY_BYTES = 12;

    private final Folder folder;
    private final LocalNames names;
    private final DemoApi api;
    private final Server server;
    private final String key;

    private Quickstart(Folder folder, LocalNames names, DemoApi api, Server server, String key) {
        this.folder = folder;
        this.names = names;
        this.api = api;
        this.server = server;
        this.key = key;
    }

    /**
     * Where it happens.
     *
     * @param folder of the state
     * @param alone true: on free ports only, beside whatever else runs here, and with the shipped configuration
     * @param audit where audit records go
     */
    record Settings(Path folder, boolean alone, AuditSink audit) {}

    /** Starts everything. Blocks. */
    static Quickstart start(Settings settings) throws Failure {
        String key = Objects.requireNonNullElseGet(System.getenv(KEY_VARIABLE), Quickstart::newKey);
        Plugins plugins = Home.loadPlugins();
        LocalNames names = null;
        DemoApi api = null;
        try {
            names = DemoNames.start(settings.alone() ? 0 : NAMES_PORT);
            api = DemoApi.start(settings.alone() ? 0 : API_PORT, key);
            Folder folder = new Folder(settings.folder());
            folder.fill(plugins.catalog(), api.certificateOfItsCa(), settings.alone());
            Map<String, String> environment = new HashMap<>(System.getenv());
            environment.put(KEY_VARIABLE, key);
            if (ConfigLoader.load(folder.config(), environment, plugins.catalog())
                    instanceof ConfigResult.Loaded loaded) {
                environment.putAll(detours(loaded.config(), settings.alone(), names.port()));
            }
            Server server = ServerModule.server(
                    new ServerModule.Options(folder.config(), environment, settings.audit()), plugins);
            server.start();
            return new Quickstart(folder, names, api, server, key);
        } catch (IOException e) {
            plugins.close();
            close(names, api);
            throw new Failure("the demo cannot be set up: " + e.getMessage());
        } catch (Failure | RuntimeException e) {
            plugins.close();
            close(names, api);
            throw e;
        }
    }

    private static String newKey() {
        byte[] random = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(random);
        return "demo-key-" + HexFormat.of().formatHex(random);
    }

    /** Overrides for what the file asks for and cannot be had on this machine at this moment. */
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

    private static boolean isTaken(ListenAddress address) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(address.toSocketAddress());
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    Tour tour() {
        return new Tour(api.port());
    }

    Server server() {
        return server;
    }

    InetSocketAddress proxyAddress() {
        return Objects.requireNonNull(server.proxy().tunnelAddress(), "tunnel_listen");
    }

    @Nullable InetSocketAddress metricsAddress() {
        return server.metricsAddress();
    }

    Path caCertificate() {
        return folder.caCertificate();
    }

    Path config() {
        return folder.config();
    }

    /** What the demo API accepts. */
    String key() {
        return key;
    }

    int apiPort() {
        return api.port();
    }

    @Override
    public void close() {
        server.close();
        close(names, api);
    }

    private static void close(@Nullable LocalNames names, @Nullable DemoApi api) {
        if (api != null) {
            api.close();
        }
        if (names != null) {
            names.close();
        }
    }
}
