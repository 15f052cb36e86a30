package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;

/** Opens streams to origins. Thread-safe. */
public interface Upstreams {

    /**
     * Opens a stream for one request on this loop. The listener is called on the loop only: first
     * {@link UpstreamListener#onReady}, where a pooled connection serves before this method returns, or
     * {@link UpstreamListener#onFailure}, never before it returns. May be called only on the loop.
     *
     * @return cancels the opening while neither has been called, on the loop; afterwards does nothing
     */
    Runnable open(EventLoop loop, Route route, UpstreamListener listener);
}
