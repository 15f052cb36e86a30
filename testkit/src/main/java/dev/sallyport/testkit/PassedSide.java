package dev.sallyport.testkit;

import dev.sallyport.core.exchange.ClientHelloFacts;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.PassthroughClient;
import dev.sallyport.core.exchange.RelayListener;
import dev.sallyport.core.tls.TlsAlert;
import dev.sallyport.spi.Destination;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;

/**
 * The client's side of a connection that is passed through: it sends nothing, and closes as soon as it is connected to
 * its origin. Confined to the loop until {@link #passed} completes.
 */
final class PassedSide implements PassthroughClient {

    private final EventLoop loop;
    private final CompletableFuture<Boolean> passed = new CompletableFuture<>();
    private RelayListener passage = RelayListener.NONE;

    PassedSide(EventLoop loop) {
        this.loop = loop;
    }

    /** Whether the connection was let through. */
    CompletableFuture<Boolean> passed() {
        return passed;
    }

    /** Lets the engine judge the connection. */
    void begin(Exchanges.Permit permit, Destination destination) {
        passage = permit.pass(this, destination, new ClientHelloFacts(false));
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public void relay(Channel origin) {
        origin.close();
        passage.ended(0, 0, RelayListener.End.COMPLETE);
        passed.complete(true);
    }

    @Override
    public void cutOff() {
        throw new IllegalStateException("cutOff: there is no relay any more (expected: while it lasts)");
    }

    @Override
    public void refuse(TlsAlert alert) {
        passed.complete(false);
    }
}
