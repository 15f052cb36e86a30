package dev.sallyport.control.feed;

import dev.sallyport.control.secret.StoredSecret;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decrypts stored values for as long as one use of them takes; while it is {@linkplain #keep kept open}, each only once,
 * whoever needs it. What it has decrypted is cleared. Thread-safe.
 */
final class OpenValues implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OpenValues.class);

    private final Function<StoredSecret, byte[]> opener;
    private final IdentityHashMap<StoredSecret, byte[]> open = new IdentityHashMap<>();
    private boolean keeping;
    private volatile boolean failed;

    /** @param opener decrypts a value; what it returns is cleared after use */
    OpenValues(Function<StoredSecret, byte[]> opener) {
        this.opener = opener;
    }

    /** Values stay decrypted from now on, until this is closed: many proxies are about to get them. */
    synchronized OpenValues keep() {
        keeping = true;
        return this;
    }

    /** Why a value cannot be decrypted now; null when it can be. */
    synchronized @Nullable RuntimeException fault(StoredSecret stored) {
        try {
            Arrays.fill(opener.apply(stored), (byte) 0);
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** Whether one could not be decrypted when it was used: then it has to be read again, since it may be sealed anew. */
    boolean hasFailed() {
        return failed;
    }

    /**
     * What is made of a value; null when it cannot be decrypted, which is logged.
     *
     * @param use must not keep the bytes
     */
    synchronized <T> @Nullable T with(StoredSecret stored, Function<byte[], T> use) {
        byte[] value = open.get(stored);
        if (value != null) {
            return use.apply(value);
        }
        try {
            value = opener.apply(stored);
        } catch (RuntimeException e) {
            failed = true;
            LOG.warn(
                    "the value of {} cannot be decrypted any more; it is read again",
                    stored.secret().id(),
                    e);
            return null;
        }
        if (keeping) {
            open.put(stored, value);
            return use.apply(value);
        }
        try {
            return use.apply(value);
        } finally {
            Arrays.fill(value, (byte) 0);
        }
    }

    /** Clears what is decrypted. It may be used again. */
    @Override
    public synchronized void close() {
        keeping = false;
        open.values().forEach(value -> Arrays.fill(value, (byte) 0));
        open.clear();
    }

    @Override
    public String toString() {
        return "OpenValues[]";
    }
}
