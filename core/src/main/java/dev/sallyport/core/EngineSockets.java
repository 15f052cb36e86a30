package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.DnsSection;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxySection;
import dev.sallyport.core.dns.DnsServer;
import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.core.meter.OutcomeTimer;
import dev.sallyport.core.net.Listener;
import dev.sallyport.core.net.ListenerSettings;
import dev.sallyport.core.net.Listeners;
import dev.sallyport.core.net.connection.ConnectionSettings;
import dev.sallyport.spi.ListenerKind;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sockets of an engine: its listeners, and its DNS server. Thread-safe. */
final class EngineSockets {

    private static final Logger LOG = LoggerFactory.getLogger(EngineSockets.class);

    private final Listeners listeners;
    private final MeterRegistry meters;
    private final LoopWatch watch;
    private final CloseStack closer;
    private volatile @Nullable DnsServer dns;

    /** @param closer closes the DNS server and its loop */
    EngineSockets(
            EventLoops loops, ConnectionSettings settings, MeterRegistry meters, LoopWatch watch, CloseStack closer) {
        this.listeners = new Listeners(loops, settings);
        this.meters = meters;
        this.watch = watch;
        this.closer = closer;
    }

    Listeners listeners() {
        return listeners;
    }

    /** Starts the DNS server, unless it is disabled, or would query itself: then no name could ever be resolved. */
    void startDns(DnsSection section) throws IOException {
        if (!section.enabled()) {
            return;
        }
        EventLoop loop = closer.add(EventLoops.single("sallyport-dns")).group().next();
        DnsServer server = DnsServer.start(
                loop,
                section,
                OutcomeTimer.of(
                        meters, "dns.passed.duration", "How long the upstream resolver took for queries of clients."));
        watch.add("sallyport-dns", loop, null);
        String round = ConfigMapper.asksItself(server.address(), section);
        if (!round.isEmpty()) {
            server.close();
            throw new IOException(round);
        }
        closer.add(server);
        new EngineGauges(meters).dns(server);
        dns = server;
    }

    /** Binds the listeners, which accept nothing yet. */
    void bind(ProxySection section) throws IOException {
        for (ListenerSettings settings : ConfigMapper.listeners(section)) {
            listeners.bind(settings);
        }
    }

    /** The problem that the DNS server would query itself with this configuration; null when it would not. */
    @Nullable ConfigProblem asksItself(ConfigResult.Loaded next) {
        DnsServer server = dns;
        String round = server == null
                ? ""
                : ConfigMapper.asksItself(server.address(), next.config().dns());
        String pointer = "/dns/upstream_resolver";
        return round.isEmpty() ? null : new ConfigProblem(next.places().of(pointer), pointer, round, "");
    }

    /** As {@link EgressProxy#adopt}. */
    void adopt(ListenerKind kind, int descriptor) throws StartException {
        try {
            listeners.adopt(kind, descriptor);
        } catch (IOException e) {
            throw StartException.of(String.valueOf(e.getMessage()));
        }
    }

    /** Applies a configuration to the DNS server, and settings to connections that are accepted from now on. */
    void reconfigure(DnsSection section, ConnectionSettings settings) {
        DnsServer server = dns;
        if (server != null && section.enabled()) {
            server.reconfigure(section);
        }
        listeners.reconfigure(settings);
    }

    /** Accepts nothing new; exchanges in progress may end, as at shutdown. */
    void stopListening(Duration drainTimeout) {
        DnsServer server = dns;
        if (server != null) {
            server.close();
        }
        listeners.shutdown(drainTimeout).whenComplete((report, failure) -> LOG.info("running exchanges have ended"));
    }

    /** The addresses at which the proxy itself can be reached, to which clients must not be connected. */
    List<InetSocketAddress> own(ProxyConfig config) {
        List<InetSocketAddress> own = new ArrayList<>(
                listeners.bound().stream().map(Listener::address).toList());
        DnsServer server = dns;
        if (server != null) {
            own.add(server.address());
        }
        own.addAll(ConfigMapper.otherOwn(config, own));
        return own;
    }

    /** The address of the listener of this kind; null when it is disabled. */
    @Nullable InetSocketAddress address(ListenerKind kind) {
        for (Listener listener : listeners.bound()) {
            if (listener.kind() == kind) {
                return listener.address();
            }
        }
        return null;
    }

    /** The DNS server; null when it is disabled. */
    @Nullable DnsServer dns() {
        return dns;
    }
}
