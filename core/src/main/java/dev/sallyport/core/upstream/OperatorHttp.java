package dev.sallyport.core.upstream;

import dev.sallyport.spi.HttpCall;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.HttpReply;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.CompletionStage;

/**
 * Calls hosts that the operator configured: not subject to the dial guard, on connections that no workload shares.
 * Cancelling the returned stage abandons the call. Thread-safe.
 */
public final class OperatorHttp implements HttpCaller {

    private final EventLoopGroup loops;
    private final Upstreams upstreams;

    /** A caller that uses these upstreams, on any of these loops. */
    public OperatorHttp(EventLoopGroup loops, Upstreams upstreams) {
        this.loops = loops;
        this.upstreams = upstreams;
    }

    @Override
    public CompletionStage<HttpReply> call(HttpCall call) {
        EventLoop loop = loops.next();
        OperatorCall running = new OperatorCall(loop, upstreams, call);
        loop.execute(running::start);
        return running.result();
    }
}
