package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;

/** Opens streams to origins. Thread-safe. */
public interface Upstreams {

    /**
     * Opens a stream for one request on this loop. The listener is called on the loop only: first
     * {@link UpstreamListener#onReady} or {@link UpstreamListener#onFailure}. May be called only on the loop.
     *
     * @return cancels the opening while neither has been called; afterwards does nothing
     */
    Runnable open(EventLoop loop, Route route, UpstreamListener listener);
}
