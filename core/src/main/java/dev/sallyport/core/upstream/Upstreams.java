package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;

/** Opens streams to origins. Thread-safe. */
public interface Upstreams {

    /**
     * Opens a stream for one request. Called on the loop, as is the listener: first {@link UpstreamListener#onReady},
     * possibly before this method returns, or {@link UpstreamListener#onFailure}, never before it returns.
     *
     * @return cancels the opening until one of them has been called; to be run on the loop, no effect afterwards
     */
    Runnable open(EventLoop loop, Route route, UpstreamListener listener);

    /**
     * Opens a connection for a tunnel: without TLS and pool, but with resolver, guard and limits. Called on the loop,
     * as is the listener, never before this method returns.
     *
     * @return cancels the opening until the listener has been called; to be run on the loop, no effect afterwards
     */
    Runnable tunnel(EventLoop loop, Route route, TunnelListener listener);

    /**
     * Checks whether a route has an address that may be dialled, without dialling it. Called on the loop, as is the
     * listener, never before this method returns.
     *
     * @return cancels the check until the listener has been called; to be run on the loop, no effect afterwards
     */
    Runnable check(EventLoop loop, Route route, RouteCheckListener listener);
}
