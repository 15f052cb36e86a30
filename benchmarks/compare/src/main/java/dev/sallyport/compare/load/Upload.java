package dev.sallyport.compare.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Bodies of requests, one after the other, as fast as they are taken. Bytes count when they have been handed to the kernel. */
public final class Upload extends Load implements HttpClient.Listener {

    private static final int PIECE = 64 * 1024;

    private final Dialler dialler;
    private final Route route;
    private final int connections;
    private final long size;
    private final ByteBuf piece = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(new byte[PIECE]));
    private final Set<Sending> clients = new HashSet<>();

    public Upload(Dialler dialler, Route route, int connections, long size) {
        super(dialler);
        this.dialler = dialler;
        this.route = route;
        this.connections = connections;
        this.size = size;
    }

    /** A connection, with what it still has to send. */
    private final class Sending extends HttpClient {

        private long left;

        Sending() {
            super(Upload.this);
        }

        void begin() {
            byte[] head = route.head("POST", "/sink", "Content-Length: " + size).getBytes(StandardCharsets.US_ASCII);
            send(Unpooled.wrappedBuffer(head), System.nanoTime());
            left = size;
            go();
        }

        void go() {
            ChannelHandlerContext ctx = context();
            while (left > 0 && ctx.channel().isWritable()) {
                int bytes = (int) Math.min(left, PIECE);
                left -= bytes;
                ctx.write(piece.slice(0, bytes)).addListener(sent -> {
                    if (sent.isSuccess()) {
                        counter.bytes(bytes);
                    }
                });
            }
            ctx.flush();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
            go();
            super.channelWritabilityChanged(ctx);
        }
    }

    @Override
    void connect() {
        for (int i = 0; i < connections; i++) {
            dialler.dial(route, List.of()).addListener(future -> {
                if (future.isSuccess()) {
                    Sending client = new Sending();
                    ((Channel) future.getNow()).pipeline().addLast(client);
                    clients.add(client);
                } else {
                    counter.error(future.cause());
                }
            });
        }
    }

    @Override
    int wanted() {
        return connections;
    }

    @Override
    int connected() {
        return clients.size();
    }

    @Override
    void start() {
        for (Sending client : clients) {
            if (client.left == 0) {
                client.begin();
            }
        }
    }

    @Override
    public void done(HttpClient client) {
        counter.done(client.since);
        if (running && client instanceof Sending sending) {
            sending.begin();
        }
    }

    @Override
    public void lost(HttpClient client, @Nullable Throwable failure) {
        clients.removeIf(each -> each == client);
        if (!closed) {
            counter.error(failure == null ? new java.io.IOException("closed") : failure);
        }
    }

    @Override
    void disconnect() {
        List.copyOf(clients).forEach(HttpClient::close);
    }
}
