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

/** Asks upstream resolvers. Confined to the loop. */
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
     * Asks, over TCP where UDP was cut short, and more than once where nothing came.
     *
     * @param server whom to ask, or null: the operating system's resolvers
     * @param name for the choice of the server
     * @param result the whole answer, or null: there was none in time; called once, later
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

    /** Ends the queries under way, without results. */
    void close() {
        for (ForwardedQuery forwarding : List.copyOf(underWay)) {
            forwarding.cancel();
        }
    }
}
