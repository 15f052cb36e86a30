package dev.sallyport.control;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.store.Store;
import dev.sallyport.spi.ConfigException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives values another key while they are used. A new key is added to the keyset, and seals from then on; the old ones
 * still open. When all processes seal with it, all values are encrypted anew, some at a time. What the process that did
 * so has not done, because it was killed, the next command does: each value names its key, and the check of the key is
 * encrypted anew as the last. One process at a time does it. Thread-safe; blocks.
 */
final class KeyRotation {

    private static final Logger LOG = LoggerFactory.getLogger(KeyRotation.class);

    /** How long is waited for other processes: one that was killed is gone by then. */
    private static final Duration PATIENCE = KeyReplicas.SILENCE.plusSeconds(30);

    private static final int MOST_PASSES = 10;

    private final Store store;
    private final Envelope envelope;
    private final EncryptionKey key;
    private final Times times;
    private final Runnable afterPortion;
    private final KeyReplicas replicas;

    /** Held for a whole rotation. */
    private final ReentrantLock running = new ReentrantLock();

    /** Held while the keyset is read or replaced, and used. */
    private final ReentrantLock changing = new ReentrantLock();

    /** What was warned of last, so that it is not each time; guarded by {@link #changing}. */
    private String warned = "";

    /**
     * How long is waited.
     *
     * @param settling for values that were sealed with an old key, and are not stored yet
     * @param patience for other processes to seal with the new key
     * @param silence of one that is gone
     */
    record Times(Duration settling, Duration patience, Duration silence) {}

    /** @param settling how long values may come in that were sealed with an old key */
    KeyRotation(Store store, Envelope envelope, EncryptionKey key, Duration settling) {
        this(store, envelope, key, new Times(settling, PATIENCE, KeyReplicas.SILENCE), () -> {});
    }

    /** @param afterPortion runs after some values have been written */
    KeyRotation(Store store, Envelope envelope, EncryptionKey key, Times times, Runnable afterPortion) {
        this.store = store;
        this.envelope = envelope;
        this.key = key;
        this.times = times;
        this.afterPortion = afterPortion;
        this.replicas = new KeyReplicas(store, times.silence());
    }

    /**
     * Joins the processes that seal. Whoever rotates sees this one before it has read the keyset, and so waits for it.
     *
     * @return whether the keyset could be read, and is used
     */
    boolean join() {
        KeyReplicas.Moment now = KeyReplicas.Moment.now();
        replicas.tell(0);
        boolean renewed = renew();
        if (renewed) {
            replicas.tell(envelope.primaryId(), now);
        }
        return renewed;
    }

    /**
     * Reads the keyset again, and tells the others with which key this process seals. When it has said nothing for so long
     * that they may take it for gone, it joins anew: the key that it has may have been removed.
     *
     * @return whether the keyset could be read, and is used
     */
    boolean follow() {
        KeyReplicas.Moment now = KeyReplicas.Moment.now();
        if (!replicas.isHeard()) {
            return join();
        }
        int before = envelope.primaryId();
        replicas.tell(before, now); // reading may take its time
        boolean renewed = renew();
        if (renewed && envelope.primaryId() != before) {
            replicas.tell(envelope.primaryId(), now);
        }
        return renewed;
    }

    /** What this process sealed could be lost with its key. */
    private void refuseUnlessHeard() {
        if (!replicas.isHeard()) {
            throw Refusal.unavailable(
                    "encryption_key_unconfirmed",
                    "this process has not been able to make sure for a while with which key it encrypts (expected:"
                            + " database and keyset within its reach; it is tried again each 10 seconds)");
        }
    }

    /** Has values sealed only while the others cannot take this process for gone. */
    void guard() {
        envelope.beforeSealing(this::refuseUnlessHeard);
    }

    /** Tells the others that this process seals nothing any more. */
    void leave() {
        replicas.leave();
    }

    /**
     * Rotates, or goes on with a rotation that was not finished.
     *
     * @param removeOld whether keys that seal nothing any more go; where there are some already, no new one is made
     * @return what to print
     */
    List<String> run(boolean removeOld) {
        if (!running.tryLock()) {
            throw inProgress();
        }
        try {
            return store.alone("encryption_key", () -> refusing(removeOld)).orElseThrow(KeyRotation::inProgress);
        } finally {
            running.unlock();
        }
    }

    private static Refusal inProgress() {
        return Refusal.conflict("rotation_in_progress", "the key is being rotated (expected: later)");
    }

    private List<String> refusing(boolean removeOld) {
        try {
            return rotate(removeOld);
        } catch (ConfigException e) {
            throw Refusal.badRequest(e.getMessage() + " (expected: " + e.expected() + ")");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key cannot be made", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refusal.conflict(
                    "rotation_not_finished", "the process ends (expected: rotate-key once more, which goes on)");
        }
    }

    /**
     * Uses the keyset that another process has put in the place of this one, if it is one of this database. Does not throw.
     *
     * @return whether it could be read, and is used
     */
    boolean renew() {
        changing.lock();
        try {
            String keyset = key.read(store);
            String fault = fault(KeyCheck.envelope(key, keyset));
            if (fault == null) {
                envelope.use(keyset);
                warned = "";
                return true;
            }
            warn(fault);
        } catch (ConfigException | GeneralSecurityException | RuntimeException e) {
            warn(e.toString());
        } finally {
            changing.unlock();
        }
        return false;
    }

    private void warn(String fault) {
        if (!fault.equals(warned)) {
            warned = fault;
            LOG.warn("the encryption key is not read again, and the present one is used: {}", fault);
        }
    }

    /** Why a keyset must not take the place of the present one: values would be lost with it. Null when nothing is wrong. */
    private @Nullable String fault(Envelope found) {
        if (!KeyCheck.opens(store, found)) {
            return "the key is not the one of this database";
        }
        if (!found.has(envelope.primaryId()) && KeyCheck.opens(store, envelope)) {
            return "the key lacks the one with which values are encrypted now";
        }
        return null;
    }

    private List<String> rotate(boolean removeOld)
            throws ConfigException, GeneralSecurityException, InterruptedException {
        List<String> lines = new ArrayList<>();
        String keyset = present();
        if (!KeyCheck.isCurrent(store, envelope)) {
            lines.add("going on with a rotation that was not finished");
        } else if (!removeOld || envelope.size() == 1) {
            keyset = put(keyset, envelope.rotated());
            lines.add("new key: " + name());
        }
        await();
        LOG.info("values are encrypted anew with the key {}", name());
        SealedValues.Count count = reseal();
        KeyCheck.renew(store, envelope);
        lines.add(count.resealed() + " values encrypted anew");
        if (removeOld) {
            Thread.sleep(times.settling());
            await(); // for one that was taken for gone, and is there again
            SealedValues.Count late = reseal();
            refuseLosing(late.unreadable());
            lines.add(late.resealed() + " values that came in meanwhile");
            put(keyset, envelope.withoutOldKeys());
            lines.add("old keys removed: backups of before cannot be opened any more, unless you kept them");
        } else {
            if (count.unreadable() > 0) {
                lines.add(count.unreadable()
                        + " values cannot be opened with any key, and stay as they are; the log names them");
            }
            lines.add(envelope.size() - 1 + " old keys still open values; --remove-old removes them");
        }
        LOG.info("values are encrypted with the key {}", name());
        return lines;
    }

    /** The keyset as it is now: another process may have changed it. */
    private String present() throws ConfigException, GeneralSecurityException {
        changing.lock();
        try {
            String keyset = key.read(store);
            String fault = fault(KeyCheck.envelope(key, keyset));
            if (fault != null) {
                throw Refusal.conflict(
                        "wrong_key", fault + " (expected: the key with which the database was made, at its place)");
            }
            envelope.use(keyset);
            return keyset;
        } finally {
            changing.unlock();
        }
    }

    private String put(String expected, String keyset) throws ConfigException, GeneralSecurityException {
        changing.lock();
        try {
            key.replace(store, expected, keyset);
            envelope.use(keyset);
            return keyset;
        } finally {
            changing.unlock();
        }
    }

    /** Until no process seals with another key: else values would come in for ever that have to be encrypted anew. */
    private void await() throws InterruptedException {
        int without = replicas.without(envelope.primaryId(), times.patience());
        if (without > 0) {
            throw Refusal.conflict(
                    "replicas_behind",
                    without + " other processes still encrypt with another key (expected: all of them with this"
                            + " keyset; then rotate-key goes on)");
        }
    }

    private static void refuseLosing(long unreadable) {
        if (unreadable > 0) {
            throw Refusal.conflict(
                    "values_unreadable",
                    unreadable + " values cannot be opened with any key, and no key is removed (expected: the key that"
                            + " opens them, or those deleted that the log names)");
        }
    }

    private String name() {
        return Integer.toUnsignedString(envelope.primaryId());
    }

    /** Values may come in that were sealed just before the new key was there. */
    private SealedValues.Count reseal() throws InterruptedException {
        long resealed = 0;
        for (int pass = 0; pass < MOST_PASSES; pass++) {
            SealedValues.Count found = new SealedValues(store, envelope, afterPortion).reseal();
            resealed += found.resealed();
            if (found.resealed() == 0) {
                return new SealedValues.Count(resealed, found.unreadable());
            }
        }
        throw Refusal.conflict(
                "values_come_in",
                "values still come in that were encrypted with an old key, after " + MOST_PASSES
                        + " passes (expected: every process with this keyset; then rotate-key goes on)");
    }
}
