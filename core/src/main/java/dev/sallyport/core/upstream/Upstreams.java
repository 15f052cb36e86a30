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

    /**
     * Opens a connection that is no stream of ours: no TLS, no pool, but resolver, guard and limits as ever. The listener
     * is called on the loop only, never before this method returns. May be called only on the loop.
     *
     * @return cancels the opening while the listener has not been called, on the loop; afterwards does nothing
     */
    Runnable tunnel(EventLoop loop, Route route, TunnelListener listener);

    /**
     * Finds out whether there is an address that a route may be dialled at, without dialling it. The listener is called on
     * the loop only, never before this method returns. May be called only on the loop.
     *
     * @return cancels the check while the listener has not been called, on the loop; afterwards does nothing
     */
    Runnable check(EventLoop loop, Route route, RouteCheckListener listener);
}
