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

    /** The kind of traffic that it accepts. */
    public ListenerKind kind() {
        return kind;
    }

    /** The bound address, with the actual port if 0 was requested. */
    public InetSocketAddress address() {
        return address;
    }

    /** Starts accepting connections, or resumes after there were too many. */
    void acceptMore() {
        channel.config().setAutoRead(true);
    }

    /** Stops accepting; open connections stay. */
    CompletableFuture<Void> close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        channel.close().addListener(done -> closed.complete(null));
        return closed;
    }
}
