package dev.sallyport.feed;

import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is kept on disk, and the way to its key: the last snapshot, or accounts. A key in a file is read at once. For one that a service has to decrypt,
 * a thread asks until it answers; meanwhile nothing is kept, and nothing that was kept is read: never is anything written
 * in clear. Thread-safe.
 */
final class CacheKeeper implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(CacheKeeper.class);

    private final Path folder;
    private final CacheKey key;
    private final byte[] identity;
    private final Patience patience;
    private final CountDownLatch asked = new CountDownLatch(1);
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-feed-cache-key").unstarted(this::ask);

    private volatile @Nullable SealedFolder cache;
    private Runnable opened = () -> {};
    private volatile boolean returned;
    private volatile boolean closed;

    /**
     * How long to wait for a service.
     *
     * @param first at the start, which goes on without what was kept then
     * @param again before it is asked again
     */
    record Patience(Duration first, Duration again) {}

    /** One that has yet to be opened. */
    CacheKeeper(Path folder, CacheKey key, byte[] identity, Patience patience) {
        this.folder = folder;
        this.key = key;
        this.identity = identity;
        this.patience = patience;
    }

    /**
     * Opens it, now or as soon as the key can be read.
     *
     * @param opened runs on another thread when it was later
     * @throws ConfigException when that can never be
     */
    void open(Runnable opened) throws ConfigException {
        if (!key.isElsewhere()) {
            try {
                cache = SealedFolder.open(folder, key, identity);
            } catch (IOException e) {
                throw unusable(e);
            }
            return;
        }
        try {
            SealedFolder.make(folder);
        } catch (IOException e) {
            throw unusable(e);
        }
        this.opened = opened;
        thread.start();
        try {
            if (!asked.await(patience.first().toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("control_plane.cache_kms_key_id: no answer yet; the start goes on without what was kept");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        returned = true;
    }

    private static ConfigException unusable(IOException e) {
        return new ConfigException("/cache_dir", "cannot be used: " + e.getMessage(), "a folder, and its key")
                .causedBy(e);
    }

    private void ask() {
        String told = "";
        while (!closed && cache == null) {
            String reason = attempt();
            if (reason.isEmpty()) {
                if (returned) {
                    LOG.info("the key of what is kept is here");
                    opened.run();
                }
            } else if (!reason.equals(told)) {
                LOG.warn(
                        "{}; policies come from the control plane alone, and none are kept, until it is there", reason);
                told = reason;
            }
            asked.countDown();
            pause();
        }
    }

    /** Why it cannot be opened; empty when it was. */
    private String attempt() {
        try {
            cache = SealedFolder.open(folder, key, identity);
            return "";
        } catch (ConfigException e) {
            return "control_plane.cache_kms_key_id: " + e.getMessage() + " (expected: " + e.expected() + ")";
        } catch (IOException | RuntimeException e) {
            return "control_plane.cache_dir: cannot be used: " + e;
        }
    }

    private void pause() {
        if (cache == null) {
            try {
                TimeUnit.NANOSECONDS.sleep(patience.again().toNanos());
            } catch (InterruptedException e) {
                LOG.debug("woken"); // by close()
            }
        }
    }

    /** What was kept; null when there is nothing, or none that can be read yet. */
    SnapshotCache.@Nullable Kept read() throws IOException {
        SealedFolder open = cache;
        return open == null ? null : new SnapshotCache(open).read();
    }

    /** The accounts that are kept; null when none can be yet. */
    @Nullable AccountsCache accounts() throws IOException {
        SealedFolder open = cache;
        return open == null ? null : AccountsCache.in(open);
    }

    /** Keeps a snapshot in place of the one before; false when it cannot. */
    synchronized boolean keep(Snapshot snapshot, Instant confirmed) {
        SealedFolder open = cache;
        if (open == null) {
            return false;
        }
        try {
            new SnapshotCache(open).keep(new SnapshotCache.Kept(snapshot, confirmed));
            return true;
        } catch (IOException e) {
            LOG.error("the snapshot cannot be kept for the next start: {}", e.toString());
            return false;
        }
    }

    /** Removes what was kept, whether it can be read or not. */
    synchronized void wipe() {
        try {
            SnapshotCache.wipe(folder);
            AccountsCache.wipe(folder);
        } catch (IOException e) {
            LOG.error("what was kept cannot be removed: {}", e.toString());
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
