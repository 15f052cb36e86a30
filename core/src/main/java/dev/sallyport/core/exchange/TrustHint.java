package dev.sallyport.core.exchange;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs, at most every 10 s, the most common problem of a new installation: that a client does not trust the proxy's
 * certificate. Each of them has an audit record in any case. Thread-safe.
 */
public final class TrustHint {

    private static final Logger LOG = LoggerFactory.getLogger(TrustHint.class);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final AtomicLong next = new AtomicLong(System.nanoTime());
    private final AtomicLong silent = new AtomicLong();

    /** Makes a hint that has not been given yet. */
    public TrustHint() {}

    void ended(InetSocketAddress peer, String host, EarlyTermination ended) {
        if (!ended.distrust()) {
            return;
        }
        long now = System.nanoTime();
        long due = next.get();
        if (now - due < 0 || !next.compareAndSet(due, now + PAUSE_NANOS)) {
            silent.incrementAndGet();
            return;
        }
        long more = silent.getAndSet(0);
        LOG.warn(
                "the client {} the proxy's certificate: see docs/trust.md (client {}, host {}, {}{})",
                ended.alert().isEmpty() ? "seems not to trust" : "does not trust",
                peer.getAddress().getHostAddress(),
                host.isEmpty() ? "not named" : host,
                ended.alert().isEmpty() ? "it left without an alert" : "alert " + ended.alert(),
                more == 0 ? "" : "; and " + more + " more handshakes since the last line like this");
    }
}
