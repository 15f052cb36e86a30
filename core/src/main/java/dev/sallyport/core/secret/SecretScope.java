package dev.sallyport.core.secret;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secrets of one pipeline generation. A secret stays resolved and is refreshed until every scope that uses it has
 * been closed. Thread-safe.
 */
public final class SecretScope implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SecretScope.class);

    private final SecretStore store;
    private final List<Consumer<Secret>> listeners = new CopyOnWriteArrayList<>();
    private final Set<SecretEntry> entries = ConcurrentHashMap.newKeySet();
    private final ReentrantLock resolving = new ReentrantLock();
    private final @Nullable Consumer<String> stale;
    private final AtomicReference<Deletions> deletions = new AtomicReference<>(Deletions.UNKNOWN);

    /** Of the secrets that it had when it was closed; null before. */
    private volatile @Nullable List<SecretPast> left;

    /**
     * What has been deleted of its secrets, made once for each number of deletions.
     *
     * @param asOf how many deletions of all secrets there were then
     * @param latest the number of the latest
     * @param byName those numbers, by the names of its secrets; 0 for never
     */
    private record Deletions(long asOf, long latest, Map<String, Long> byName) {

        private static final Deletions UNKNOWN = new Deletions(-1, 0, Map.of());

        static Deletions of(long asOf, List<SecretPast> pasts) {
            Map<String, Long> byName = new HashMap<>();
            long latest = 0;
            for (SecretPast past : pasts) {
                long at = past.latestDeletion();
                latest = Math.max(latest, at);
                byName.merge(past.name(), at, Math::max);
            }
            return new Deletions(asOf, latest, byName);
        }

        boolean has(long since, String name) {
            return latest > since && byName.getOrDefault(name, latest) > since;
        }
    }

    /** @param stale receives the secrets that could not be read again; null to read nothing twice */
    SecretScope(SecretStore store, @Nullable Consumer<String> stale) {
        this.store = store;
        this.stale = stale;
    }

    /**
     * Resolves a reference. Blocks during the first read.
     *
     * @throws ConfigException at the reference's pointer, when it is not optional and cannot be resolved
     */
    public Secret resolve(SecretRef ref) throws ConfigException {
        resolving.lock();
        try {
            return store.resolve(ref, this);
        } finally {
            deletions.set(Deletions.UNKNOWN); // it has another secret, whose name is known now
            resolving.unlock();
        }
    }

    /**
     * Whether a secret has been deleted since there were this many {@linkplain SecretStore#deletions deletions}; known also
     * of those that were deleted after the scope was closed. Waits for nobody; looks at all secrets only once for each
     * deletion.
     *
     * @param name of a secret of this scope; any other name stands for all of them
     */
    public boolean deletedSince(long before, String name) {
        long now = store.deletions(); // first: what is looked at then has all of them
        if (now <= before) {
            return false;
        }
        Deletions known = deletions.get();
        if (known.asOf() < now) {
            Deletions present = Deletions.of(now, pasts());
            deletions.compareAndSet(known, present);
            known = present;
        }
        return known.has(before, name);
    }

    @Nullable Consumer<String> stale() {
        return stale;
    }

    /** The names of the secrets that it has resolved, by reference. */
    public Map<SecretRef, String> names() {
        return store.names(entries);
    }

    /**
     * Adds a listener that is notified of each change of a value, and of its deletion, on the thread that read it; it must
     * not block for long.
     */
    public void onChange(Consumer<Secret> listener) {
        listeners.add(listener);
    }

    void changed(Secret secret) {
        for (Consumer<Secret> listener : listeners) {
            try {
                listener.accept(secret);
            } catch (RuntimeException e) {
                log.warn(
                        "secret {}: a listener failed: {}",
                        secret.name(),
                        e.getClass().getSimpleName());
            }
        }
    }

    /** Notes the use of an entry. The store's lock is held, as for the methods below. */
    void enter(SecretEntry entry) {
        if (left != null) {
            throw new IllegalStateException("secret scope: closed (expected: an open one)");
        }
        entries.add(entry);
    }

    void leave(SecretEntry entry) {
        entries.remove(entry);
    }

    Set<SecretEntry> leaveAll() {
        if (left == null) {
            left = pasts(); // before they go: whoever looks at the same time finds them here or there
        }
        Set<SecretEntry> all = Set.copyOf(entries);
        entries.clear();
        return all;
    }

    /** Of the secrets that it uses or, once it is closed, has used. Without a lock. */
    private List<SecretPast> pasts() {
        List<SecretPast> present = new ArrayList<>();
        entries.forEach(entry -> present.add(entry.past()));
        List<SecretPast> past = left;
        return past == null ? present : past;
    }

    /** Releases what it has resolved. Idempotent. */
    @Override
    public void close() {
        listeners.clear();
        store.release(this);
    }
}
