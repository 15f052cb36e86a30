package dev.sallyport.control.audit;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.store.Store;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The record of who has read the requests of workloads. The same reader with the same filters is recorded once a minute,
 * whatever the times, so that the pages of a list are one record; of more than 20 in a minute with one key, a record says
 * that there were more. Thread-safe.
 */
@Singleton
public final class AuditReads {

    private static final String RESOURCE = "egress_audit";
    private static final Duration ONCE = Duration.ofMinutes(1);
    private static final int KNOWN = 10_000;
    private static final int MOST = 20;

    private final Store store;
    private final AdminAudit audit;
    private final Cache<Reader, Boolean> recent =
            Caffeine.newBuilder().maximumSize(KNOWN).expireAfterWrite(ONCE).build();
    private final Cache<Credential, AtomicInteger> counts =
            Caffeine.newBuilder().maximumSize(KNOWN).expireAfterWrite(ONCE).build();

    public AuditReads(Store store, AdminAudit audit) {
        this.store = store;
        this.audit = audit;
    }

    private record Reader(Caller caller, String read) {}

    private record Credential(
            String organization, String user, @Nullable String key) {}

    /** What is read: in which form, and with which filters. */
    private record Read(String form, @JsonUnwrapped EgressFilter filter) {}

    /** What is read besides. */
    private record Others(String form, int moreThan) {}

    /**
     * Records that somebody is going to read.
     *
     * @param form such as {@code list}
     */
    public void record(Caller caller, String form, EgressFilter filter) {
        Reader reader = new Reader(caller, Json.text(new Read(form, filter.atAnyTime())));
        if (recent.getIfPresent(reader) != null) {
            return;
        }
        Credential credential = new Credential(caller.organizationId(), caller.userId(), caller.apiKeyId());
        AtomicInteger count = counts.get(credential, any -> new AtomicInteger());
        int before = count.getAndIncrement();
        if (before > MOST) {
            return;
        }
        Object read = before < MOST ? new Read(form, filter) : new Others("others", MOST);
        try {
            write(caller, Json.text(read));
        } catch (RuntimeException e) {
            count.decrementAndGet();
            throw e;
        }
        if (before < MOST) {
            recent.put(reader, true);
        }
    }

    private void write(Caller caller, String read) {
        String organization = caller.organizationId();
        store.write(transaction -> {
            audit.record(transaction, caller, new Administered("read", RESOURCE, organization, null, read));
            return true;
        });
    }
}
