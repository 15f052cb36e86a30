package dev.sallyport.compare.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A number of connections, each of which sends the same request again as soon as it has the response. */
public class KeepAlive extends Load implements HttpClient.Listener {

    private static final long RETRY_MILLIS = 50;

    private final Dialler dialler;
    private final Route route;
    private final int connections;
    private final ByteBuf request;
    private final Set<HttpClient> idle = new HashSet<>();
    private final Set<HttpClient> clients = new HashSet<>();

    /** @param headers further lines of the request */
    public KeepAlive(Dialler dialler, Route route, int connections, String path, String... headers) {
        super(dialler);
        this.dialler = dialler;
        this.route = route;
        this.connections = connections;
        byte[] head = route.get(path, headers).getBytes(StandardCharsets.US_ASCII);
        request = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(head));
    }

    @Override
    final void connect() {
        for (int i = 0; i < connections; i++) {
            dial();
        }
    }

    private void dial() {
        dialler.dial(route, List.of()).addListener(future -> {
            if (future.isSuccess()) {
                Channel channel = (Channel) future.getNow();
                HttpClient client = new HttpClient(this);
                channel.pipeline().addLast(client);
                clients.add(client);
                ready(client);
            } else if (!closed) {
                counter.error(future.cause());
                loop.schedule(this::dialAgain, RETRY_MILLIS, TimeUnit.MILLISECONDS);
            }
        });
    }

    private void dialAgain() {
        if (!closed) {
            dial();
        }
    }

    @Override
    final int wanted() {
        return connections;
    }

    @Override
    final int connected() {
        return clients.size();
    }

    @Override
    void start() {
        for (HttpClient client : List.copyOf(idle)) {
            ready(client);
        }
    }

    /** A connection has nothing to do. */
    void ready(HttpClient client) {
        if (running) {
            idle.remove(client);
            send(client, System.nanoTime());
        } else {
            idle.add(client);
        }
    }

    final void send(HttpClient client, long since) {
        client.send(request.duplicate(), since);
    }

    /** A connection that waits for work; null if all of them are busy. */
    final @Nullable HttpClient takeIdle() {
        if (idle.isEmpty()) {
            return null;
        }
        HttpClient client = idle.iterator().next();
        idle.remove(client);
        return client;
    }

    final void putIdle(HttpClient client) {
        idle.add(client);
    }

    @Override
    public void done(HttpClient client) {
        counter.done(client.since);
        if (client.closing()) {
            return;
        }
        ready(client);
    }

    @Override
    public void bytes(int count) {
        counter.bytes(count);
    }

    @Override
    public void lost(HttpClient client, @Nullable Throwable failure) {
        clients.remove(client);
        idle.remove(client);
        if (closed) {
            return;
        }
        if (failure != null) {
            counter.error(failure);
        } else if (client.closedWhileIdle()) {
            counter.reconnect();
        }
        dial();
    }

    @Override
    void disconnect() {
        List.copyOf(clients).forEach(HttpClient::close);
    }
}
