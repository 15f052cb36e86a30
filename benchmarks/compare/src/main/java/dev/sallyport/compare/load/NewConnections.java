package dev.sallyport.compare.load;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A new connection for every request: TCP, CONNECT, a full TLS handshake, one request. */
public final class NewConnections extends Load implements HttpClient.Listener {

    private final Dialler dialler;
    private final Route route;
    private final Supplier<String> hosts;
    private final int parallel;
    private final String path;
    private final Set<HttpClient> clients = new HashSet<>();
    private int active;
    private int working;

    /**
     * @param hosts the name that each next connection is for
     * @param parallel how many there are at a time
     */
    public NewConnections(Dialler dialler, Route route, Supplier<String> hosts, int parallel, String path) {
        super(dialler);
        this.dialler = dialler;
        this.route = route;
        this.hosts = hosts;
        this.parallel = parallel;
        this.path = path;
    }

    @Override
    void connect() {}

    @Override
    int wanted() {
        return 0;
    }

    @Override
    int connected() {
        return active;
    }

    @Override
    void start() {
        while (working < parallel) {
            working++;
            next();
        }
    }

    private void next() {
        if (!running || closed) {
            working--;
            return;
        }
        long since = System.nanoTime();
        Route way = route.to(hosts.get());
        dialler.dial(way, List.of()).addListener(future -> {
            if (!future.isSuccess()) {
                counter.error(future.cause());
                // Not at once: a proxy that refuses must not keep the loop busy.
                loop.schedule(this::next, 10, java.util.concurrent.TimeUnit.MILLISECONDS);
                return;
            }
            HttpClient client = new HttpClient(this);
            ((Channel) future.getNow()).pipeline().addLast(client);
            clients.add(client);
            active++;
            byte[] head = way.get(path, "Connection: close").getBytes(StandardCharsets.US_ASCII);
            client.send(Unpooled.wrappedBuffer(head), since);
        });
    }

    @Override
    public void done(HttpClient client) {
        counter.done(client.since);
        client.close();
    }

    @Override
    public void lost(HttpClient client, @Nullable Throwable failure) {
        clients.remove(client);
        active--;
        if (failure != null && !closed) {
            counter.error(failure);
        }
        next();
    }

    @Override
    void disconnect() {
        List.copyOf(clients).forEach(HttpClient::close);
    }
}
