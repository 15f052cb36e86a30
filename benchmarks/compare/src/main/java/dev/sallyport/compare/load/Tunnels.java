package dev.sallyport.compare.load;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Connections that have made one request and lie idle; in a window some of them make another one. */
public final class Tunnels extends Load implements HttpClient.Listener {

    private static final int AT_A_TIME = 32;

    private final Dialler dialler;
    private final Route route;
    private final int tunnels;
    private final byte[] request;
    private final List<HttpClient> idle = new ArrayList<>();
    private int dialled;

    public Tunnels(Dialler dialler, Route route, int tunnels) {
        super(dialler);
        this.dialler = dialler;
        this.route = route;
        this.tunnels = tunnels;
        request = route.get("/bytes/64").getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    void connect() {
        for (int i = 0; i < AT_A_TIME; i++) {
            dial();
        }
    }

    private void dial() {
        if (closed || dialled == tunnels) {
            return;
        }
        dialled++;
        dialler.dial(route, List.of()).addListener(future -> {
            if (!future.isSuccess()) {
                counter.error(future.cause());
                return;
            }
            HttpClient client = new HttpClient(this);
            ((Channel) future.getNow()).pipeline().addLast(client);
            client.send(Unpooled.wrappedBuffer(request), System.nanoTime());
        });
    }

    @Override
    public void done(HttpClient client) {
        counter.done(client.since);
        boolean opening = !running;
        idle.add(client);
        if (opening) {
            dial();
        }
    }

    @Override
    public void lost(HttpClient client, @Nullable Throwable failure) {
        idle.remove(client);
        if (!closed) {
            counter.error(failure == null ? new IOException("an idle tunnel was closed") : failure);
        }
    }

    @Override
    int wanted() {
        return tunnels;
    }

    @Override
    int connected() {
        return idle.size();
    }

    /** A request on every tenth tunnel: they must still work. */
    @Override
    void start() {
        List<HttpClient> some = new ArrayList<>();
        for (int i = 0; i < idle.size(); i += 10) {
            some.add(idle.get(i));
        }
        idle.removeAll(new java.util.HashSet<>(some));
        some.forEach(client -> client.send(Unpooled.wrappedBuffer(request), System.nanoTime()));
    }

    @Override
    void disconnect() {
        List.copyOf(idle).forEach(HttpClient::close);
    }
}
