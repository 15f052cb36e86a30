package dev.sallyport.testkit;

import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.HelloFacts;
import dev.sallyport.core.exchange.Passage;
import dev.sallyport.core.exchange.PassedClient;
import dev.sallyport.core.tls.TlsAlert;
import dev.sallyport.spi.Destination;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;

/**
 * The client's side of a connection that is passed through: it sends nothing, and leaves as soon as it is coupled with
 * its origin. Confined to the loop until {@link #passed} completes.
 */
final class PassedSide implements PassedClient {

    private final EventLoop loop;
    private final CompletableFuture<Boolean> passed = new CompletableFuture<>();
    private Passage passage = Passage.NONE;

    PassedSide(EventLoop loop) {
        this.loop = loop;
    }

    /** Whether the connection was let through. */
    CompletableFuture<Boolean> passed() {
        return passed;
    }

    /** Has the engine judge the connection. */
    void begin(Exchanges.Permit permit, Destination destination) {
        passage = permit.pass(this, destination, new HelloFacts(false));
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public void relay(Channel origin) {
        origin.close();
        passage.ended(0, 0, Passage.End.COMPLETE);
        passed.complete(true);
    }

    @Override
    public void refuse(TlsAlert alert) {
        passed.complete(false);
    }
}
