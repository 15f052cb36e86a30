package dev.sallyport.control.feed;

import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.proxy.Proxies;
import dev.sallyport.control.proxy.ProxyIdentity;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A proxy elsewhere that is connected: its answer stays open. Thread-safe. */
public abstract class ProxyConnection {

    private final ProxyIdentity proxy;
    private final Outlet outlet;
    private final String stream = Tokens.code();
    private final AtomicBoolean ended = new AtomicBoolean();

    ProxyConnection(ProxyIdentity proxy, Outlet outlet) {
        this.proxy = proxy;
        this.outlet = outlet;
    }

    final ProxyIdentity proxy() {
        return proxy;
    }

    /** Names the connection. */
    final String stream() {
        return stream;
    }

    final Outlet outlet() {
        return outlet;
    }

    /** Has the proxy be told from now on: it has been greeted. */
    abstract void begin();

    /** Has the proxy be told no more. May be called again. */
    abstract void leave();

    /** Tells the proxy that it is right; adds when it was heard. */
    abstract void beat(boolean current, List<Proxies.Seen> seen);

    /** Looks whether the proxy has been silent for too long; blocks. */
    abstract void lookForLate();

    /** The proxy has applied what it was sent over this connection; blocks. */
    abstract void acknowledged(ProxyConnections.Applied applied);

    /** Ends the answer. */
    final void endAnswer() {
        outlet.end();
    }

    /** Notes that the answer has ended; false if that was known. */
    final boolean hasJustEnded() {
        return ended.compareAndSet(false, true);
    }

    final boolean isOver() {
        return ended.get();
    }
}
