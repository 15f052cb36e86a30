package dev.sallyport.core.dns;

import dev.sallyport.core.resolve.ChannelTypes;
import dev.sallyport.core.resolve.NameServers;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Forwards questions to upstream resolvers. Confined to the loop. */
final class Forwarder {

    private final EventLoop loop;
    private final ChannelTypes transport;
    private final SecureRandom random = new SecureRandom();
    private final Set<ForwardedQuery> underWay = new HashSet<>();

    Forwarder(EventLoop loop) {
        this.loop = loop;
        this.transport = ChannelTypes.of(loop);
    }

    /**
     * Forwards a question; retries over TCP after a truncated answer, and again after silence.
     *
     * @param server the resolver, or null for the operating system's resolvers
     * @param name selects the system's resolver
     * @param result receives the whole answer, or null when there was none in time; called once, later
     */
    void ask(
            @Nullable InetSocketAddress server,
            String name,
            byte[] question,
            Duration limit,
            Consumer<byte @Nullable []> result) {
        List<InetSocketAddress> servers = NameServers.of(server, name);
        ForwardedQuery forwarding = new ForwardedQuery(this, servers, question, limit, result);
        underWay.add(forwarding);
        forwarding.start();
    }

    void over(ForwardedQuery forwarding) {
        underWay.remove(forwarding);
    }

    EventLoop loop() {
        return loop;
    }

    ChannelTypes transport() {
        return transport;
    }

    int newId() {
        return random.nextInt(1 << 16);
    }

    /** Ends the queries in progress, without results. */
    void close() {
        for (ForwardedQuery forwarding : List.copyOf(underWay)) {
            forwarding.cancel();
        }
    }
}
