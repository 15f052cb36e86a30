package dev.sallyport.server.management;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ManagementSection;
import dev.sallyport.server.Failure;
import dev.sallyport.server.http.HttpListener;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import jakarta.inject.Inject;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What {@code management.listen} answers, on a thread of its own. A further resource is a further {@link Route}. */
public final class ManagementApi implements AutoCloseable {

    private final EgressProxy proxy;
    private final Reloader reloader;
    private final RecentAudit recent;
    private @Nullable HttpListener listener;

    @Inject
    public ManagementApi(EgressProxy proxy, Reloader reloader, RecentAudit recent) {
        this.proxy = proxy;
        this.reloader = reloader;
        this.recent = recent;
    }

    /** Why this server cannot serve a configuration that is otherwise good. */
    public static List<ConfigProblem> problems(ConfigResult.Loaded loaded, Map<String, String> environment) {
        return BearerKey.problems(loaded, environment);
    }

    private List<Route> routes(Supplier<Map<String, InetSocketAddress>> listeners) {
        return List.of(
                HealthRoute.alive(),
                HealthRoute.ready(proxy::ready),
                new ReloadRoute(reloader),
                new StatusRoute(proxy, listeners),
                new ConfigRoute(proxy),
                new RecentAuditRoute(recent),
                new ExplainRoute(proxy));
    }

    /**
     * Binds; blocks.
     *
     * @param environment holds the key
     * @param metrics where metrics are answered, or null
     */
    public void start(ManagementSection section, Map<String, String> environment, @Nullable InetSocketAddress metrics)
            throws Failure {
        BearerKey key = BearerKey.of(section, environment);
        if (key == null) {
            throw new Failure("management.api_key_env: the environment variable " + section.apiKeyEnv()
                    + " holds no key (expected: the key of the management API)");
        }
        Routes routes = new Routes(routes(() -> listeners(metrics)), key);
        HttpListener opened = new HttpListener("management.listen", "sallyport-management", () -> handler(routes));
        listener = opened;
        opened.start(section.listen());
    }

    private static ChannelHandler handler(Routes routes) {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new ApiHandler(routes, channel));
            }
        };
    }

    private Map<String, InetSocketAddress> listeners(@Nullable InetSocketAddress metrics) {
        Map<String, InetSocketAddress> listeners = new LinkedHashMap<>();
        InetSocketAddress own = address();
        if (own != null) {
            listeners.put("management.listen", own);
        }
        if (metrics != null) {
            listeners.put("metrics.listen", metrics);
        }
        return listeners;
    }

    /** Its event loop, once started. */
    public Executor loop() {
        return Objects.requireNonNull(listener, "not started").loop();
    }

    /** Where it is bound, or null. */
    public @Nullable InetSocketAddress address() {
        HttpListener open = listener;
        return open == null ? null : open.address();
    }

    /** Idempotent; blocks. */
    @Override
    public void close() {
        HttpListener open = listener;
        if (open != null) {
            open.close();
        }
    }
}
