package dev.sallyport.control;

import dev.sallyport.control.account.DeviceCodes;
import dev.sallyport.control.account.Sessions;
import dev.sallyport.control.account.Users;
import dev.sallyport.control.agent.AgentKeeper;
import dev.sallyport.control.api.BodyBinder;
import dev.sallyport.control.api.Idempotency;
import dev.sallyport.control.audit.EgressHours;
import dev.sallyport.control.audit.EgressIngest;
import dev.sallyport.control.feed.AccountWorkloads;
import dev.sallyport.control.feed.EmbeddedProxy;
import dev.sallyport.control.feed.Fanout;
import dev.sallyport.control.proxy.AuditHeads;
import dev.sallyport.control.proxy.SharedProxies;
import dev.sallyport.control.sandbox.Reconciler;
import dev.sallyport.control.sandbox.Snapshots;
import dev.sallyport.control.sandbox.Vms;
import dev.sallyport.control.secret.Secrets;
import dev.sallyport.core.config.BindErrors;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.spi.ConfigException;
import io.micronaut.context.ApplicationContext;
import io.micronaut.http.netty.channel.EventLoopGroupRegistry;
import io.micronaut.runtime.server.EmbeddedServer;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server with its services: Micronaut, on event loops of its own. */
final class ControlServer implements AutoCloseable {

    /** The first of them that the machine has. */
    private static final List<String> TRANSPORTS = List.of("epoll", "nio");

    private static final int LOOPS = 2;
    private static final Duration CLOSING = Duration.ofSeconds(10);

    /** Not zero: a loop that is told to end as it looks would end without closing its connections. */
    private static final Duration QUIET = Duration.ofMillis(100);

    private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);

    private final ApplicationContext context;
    private final EmbeddedServer server;

    private ControlServer(ApplicationContext context, EmbeddedServer server) {
        this.context = context;
        this.server = server;
    }

    /**
     * Starts it. Blocks.
     *
     * @throws ConfigException when it cannot listen, or cannot use its certificate
     */
    static ControlServer start(ControlConfig config, ControlParts parts) throws ConfigException {
        TlsContext tls = TlsContext.of(config.tls());
        ApplicationContext context = ApplicationContext.builder()
                .classLoader(ControlServer.class.getClassLoader())
                .banner(false)
                .deduceEnvironment(false)
                .deduceCloudEnvironment(false)
                .enableDefaultPropertySources(false)
                .environmentPropertySource(false)
                .bootstrapEnvironment(false)
                .eagerInitConfiguration(false)
                .singletons(parts, tls)
                .properties(properties(config))
                .start();
        try {
            EmbeddedServer server = context.getBean(EmbeddedServer.class);
            server.start();
            return new ControlServer(context, server);
        } catch (RuntimeException e) {
            context.close();
            throw new ConfigException(
                            "/listen",
                            "cannot listen on " + config.listen() + ": " + reason(e),
                            "an address of this machine with a free port")
                    .causedBy(e);
        }
    }

    private static String reason(Throwable fault) {
        Throwable root = fault;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return BindErrors.reason(root);
    }

    private static Map<String, Object> properties(ControlConfig config) {
        Map<String, Object> properties = new LinkedHashMap<>();
        String host = config.listen().host();
        int port = config.listen().port();
        properties.put("micronaut.application.name", "sallyport-control");
        properties.put("micronaut.server.host", host.isEmpty() ? "0.0.0.0" : host);
        properties.put("micronaut.server.port", port == 0 ? -1 : port);
        properties.put("micronaut.server.ssl.port", port == 0 ? -1 : port);
        properties.put("micronaut.server.ssl.enabled", config.tls() != null);
        properties.put("micronaut.server.dual-protocol", false);
        properties.put("micronaut.server.max-request-size", BodyBinder.MOST_BYTES);
        properties.put("micronaut.server.server-header", "sallyport");
        properties.put("micronaut.server.date-header", true);
        properties.put("micronaut.server.log-handled-exceptions", false);
        properties.put("micronaut.server.netty.log-level", "DEBUG");
        // Else a server on loopback answers 403 without a body to every Origin but its own, that of a proxy before it
        // too. The Origin of forms is checked in web.
        properties.put("micronaut.server.cors.localhost-pass-through", true);
        properties.put("micronaut.netty.event-loops.default.num-threads", LOOPS);
        properties.put("micronaut.netty.event-loops.default.transport", TRANSPORTS);
        properties.put("micronaut.netty.event-loops.default.shutdown-quiet-period", QUIET);
        properties.put("micronaut.server.netty.parent.event-loop-group", "default");
        return properties;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(server.getHost(), server.getPort());
    }

    Users users() {
        return context.getBean(Users.class);
    }

    DeviceCodes devices() {
        return context.getBean(DeviceCodes.class);
    }

    Sessions sessions() {
        return context.getBean(Sessions.class);
    }

    Idempotency idempotency() {
        return context.getBean(Idempotency.class);
    }

    Fanout fanout() {
        return context.getBean(Fanout.class);
    }

    AccountWorkloads workloads() {
        return context.getBean(AccountWorkloads.class);
    }

    EmbeddedProxy proxy() {
        return context.getBean(EmbeddedProxy.class);
    }

    AuditHeads auditHeads() {
        return context.getBean(AuditHeads.class);
    }

    SharedProxies sharedProxies() {
        return context.getBean(SharedProxies.class);
    }

    Secrets secrets() {
        return context.getBean(Secrets.class);
    }

    Vms vms() {
        return context.getBean(Vms.class);
    }

    Snapshots snapshots() {
        return context.getBean(Snapshots.class);
    }

    VmDriver driver() {
        return context.getBean(VmDriver.class);
    }

    Reconciler reconciler() {
        return context.getBean(Reconciler.class);
    }

    AgentKeeper agents() {
        return context.getBean(AgentKeeper.class);
    }

    EgressIngest events() {
        return context.getBean(EgressIngest.class);
    }

    EgressHours hours() {
        return context.getBean(EgressHours.class);
    }

    /** Ends. Blocks until its port is free again and its connections are closed. */
    @Override
    public void close() {
        EventLoopGroup loops = context.getBean(EventLoopGroupRegistry.class).getDefaultEventLoopGroup();
        boolean freed = context.getBean(Listeners.class).close(CLOSING);
        server.stop();
        context.close();
        if (!freed || !loops.terminationFuture().awaitUninterruptibly(CLOSING.toMillis())) {
            LOG.warn("the control plane's connections did not end within {} s", CLOSING.toSeconds());
        }
    }
}
