package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Those of a proxy without records, for a test of who is held back. Thread-safe. */
final class HoldTaps implements AuditTaps {

    private final int slots;
    private final AtomicInteger ofAll = new AtomicInteger();
    private final Set<String> organizations = ConcurrentHashMap.newKeySet();

    HoldTaps(int slots) {
        this.slots = slots;
    }

    /** How often all are held back. */
    int ofAll() {
        return ofAll.get();
    }

    /** Those that are held back by themselves. */
    Set<String> organizations() {
        return Set.copyOf(organizations);
    }

    @Override
    public void sink(AuditSink added) {}

    @Override
    public int slots() {
        return slots;
    }

    @Override
    public Runnable hold() {
        ofAll.incrementAndGet();
        return ofAll::decrementAndGet;
    }

    @Override
    public Runnable hold(String organization) {
        assertThat(organizations.add(organization)).as("held once").isTrue();
        return () -> organizations.remove(organization);
    }

    @Override
    public Runnable listen(AuditListener listener) {
        return () -> {};
    }
}
