package dev.sallyport.core.secret;

import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The secrets of one pipeline generation. What it has resolved stays resolved, and fresh, until it is closed; what
 * another scope also uses outlives it. Thread-safe.
 */
public final class SecretScope implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SecretScope.class);

    private final SecretStore store;
    private final List<Consumer<Secret>> listeners = new CopyOnWriteArrayList<>();
    private final Set<SecretEntry> entries = new HashSet<>();
    private final ReentrantLock resolving = new ReentrantLock();
    private final @Nullable Consumer<String> stale;
    private boolean closed;

    /** @param stale notified of secrets that could not be read anew; null: what has been read is not read again */
    SecretScope(SecretStore store, @Nullable Consumer<String> stale) {
        this.store = store;
        this.stale = stale;
    }

    /**
     * The secret behind a reference. Blocks while it is read for the first time.
     *
     * @throws ConfigException at the reference's pointer, when it is not optional and cannot be resolved
     */
    public Secret resolve(SecretRef ref) throws ConfigException {
        resolving.lock();
        try {
            return store.resolve(ref, this);
        } finally {
            resolving.unlock();
        }
    }

    @Nullable Consumer<String> stale() {
        return stale;
    }

    /** The names of the secrets that it has resolved, by reference. */
    public Map<SecretRef, String> names() {
        return store.names(entries);
    }

    /**
     * Adds a listener that is notified of each change of a value, on the thread that read it; it must not block for
     * long.
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
        if (closed) {
            throw new IllegalStateException("secret scope: closed (expected: an open one)");
        }
        entries.add(entry);
    }

    void leave(SecretEntry entry) {
        entries.remove(entry);
    }

    Set<SecretEntry> leaveAll() {
        closed = true;
        Set<SecretEntry> left = Set.copyOf(entries);
        entries.clear();
        return left;
    }

    /** Releases what it has resolved. Idempotent. */
    @Override
    public void close() {
        listeners.clear();
        store.release(this);
    }
}
