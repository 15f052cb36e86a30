package dev.sallyport.core.net;

import dev.sallyport.spi.ListenerKind;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** A bound listener. Thread-safe. */
public final class Listener {

    private final ListenerKind kind;
    private final Channel channel;
    private final InetSocketAddress address;

    Listener(ListenerKind kind, Channel channel) {
        this.kind = kind;
        this.channel = channel;
        this.address = (InetSocketAddress) channel.localAddress();
    }

    /** What it takes. */
    public ListenerKind kind() {
        return kind;
    }

    /** Where it is bound, with the port that was free where 0 was asked for. */
    public InetSocketAddress address() {
        return address;
    }

    /** Accepts connections: from the start, or again after there were too many. */
    void acceptMore() {
        channel.config().setAutoRead(true);
    }

    /** Accepts nothing more; connections stay. */
    CompletableFuture<Void> close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        channel.close().addListener(done -> closed.complete(null));
        return closed;
    }
}
