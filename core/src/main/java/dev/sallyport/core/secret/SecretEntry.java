package dev.sallyport.core.secret;

import dev.sallyport.core.config.PluginFault;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretValue;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One secret, shared by all equal references. Reads never overlap: each holds the lock, and the next one is scheduled
 * when the last has ended.
 */
final class SecretEntry implements Secret {

    private static final Logger log = LoggerFactory.getLogger(SecretEntry.class);

    private static final long FIRST_RETRY_MILLIS = 1_000;
    private static final long LAST_RETRY_MILLIS = 60_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private final SecretRef ref;
    private final SecretStore store;
    private final Duration ttl;
    private final Set<SecretScope> users = ConcurrentHashMap.newKeySet();
    private final ReentrantLock reading = new ReentrantLock();
    private final SecretPast past;

    private volatile State state = State.NONE;
    private volatile boolean closed;
    private volatile boolean failing;
    private volatile @Nullable Instant lastRead;
    private volatile @Nullable Future<?> timer;
    private volatile @Nullable Thread reader;
    private volatile DeliveredSecrets.@Nullable Source delivered;

    /** The time at which the current value was read, by {@link SecretStore#nanoTime}. */
    private volatile long goodAt;

    // Guarded by the lock.
    private @Nullable SecretSource source;
    private boolean opened;
    private long retryMillis = FIRST_RETRY_MILLIS;
    private long readAt;
    private boolean readFailed;

    SecretEntry(SecretRef ref, SecretStore store) {
        this.ref = ref;
        this.store = store;
        this.past = new SecretPast(ref.type());
        this.ttl = TtlField.of(ref.config());
    }

    @Override
    public String name() {
        return past.name();
    }

    @Override
    public boolean available() {
        return state.value != null;
    }

    @Override
    public SecretValue value() {
        SecretValue value = state.value;
        if (value == null) {
            throw new IllegalStateException("secret " + name() + ": no value (expected: available() asked before)");
        }
        return value;
    }

    @Override
    public long version() {
        return state.version;
    }

    @Override
    public String whyUnavailable() {
        DeliveredSecrets.Source from = delivered;
        return from == null || available() ? "" : from.whyAbsent();
    }

    /** When it was deleted; may be kept without keeping the value. */
    SecretPast past() {
        return past;
    }

    SecretStatus status() {
        double age = available() ? (store.nanoTime() - goodAt) / NANOS_PER_SECOND : SecretStatus.NEVER;
        return new SecretStatus(name(), available(), failing, lastRead, age);
    }

    SecretRef ref() {
        return ref;
    }

    Set<SecretScope> users() {
        return users;
    }

    /**
     * Reads the secret on the calling thread if it has not been read, or if {@code stale} is given.
     *
     * @param stale null to keep the current value; otherwise reads again, and receives the name when that fails and the
     *     current value stays
     */
    void open(SecretRef asked, @Nullable Consumer<String> stale) throws ConfigException {
        reading.lock();
        try {
            if (opened) {
                if (stale != null) {
                    renew(stale);
                }
                return;
            }
            readOnce();
            opened = true;
            plan(ttl.toMillis());
        } catch (ConfigException e) {
            unresolved(
                    new ConfigException(asked.pointer() + e.pointer(), String.valueOf(e.getMessage()), e.expected()));
        } catch (SecretException e) {
            unresolved(new ConfigException(asked.pointer(), named(e), ""));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConfigException(asked.pointer(), "secret " + name() + ": interrupted while it was read", "");
        } finally {
            reading.unlock();
        }
    }

    /** The lock is held. */
    private void renew(Consumer<String> stale) throws InterruptedException {
        if (store.nanoTime() - readAt >= SecretStore.RECENT.toNanos()) {
            cancelTimer();
            try {
                readOnce();
                plan(ttl.toMillis());
            } catch (ConfigException | SecretException e) {
                failed(String.valueOf(e.getMessage()));
            }
        }
        if (readFailed && available()) {
            stale.accept(name());
        }
    }

    /** The message, with the name of the secret. */
    private String named(Exception e) {
        return named(name(), e);
    }

    /** What went wrong, with the name of the secret. */
    static String named(String name, Exception e) {
        String message = String.valueOf(e.getMessage());
        return message.contains(name) ? message : "secret " + name + ": " + message;
    }

    private void unresolved(ConfigException problem) throws ConfigException {
        if (!ref.optional()) {
            closeSource();
            throw problem;
        }
        opened = true;
        failing = true;
        log.warn("secret {}: not available, requests that need it are refused: {}", name(), problem.getMessage());
        planRetry();
    }

    /** Reads, stores what changed, and notifies. The lock is held. */
    private void readOnce() throws ConfigException, SecretException, InterruptedException {
        readAt = store.nanoTime();
        readFailed = true;
        SecretSource from = source;
        if (from == null) {
            from = store.create(ref);
            source = from;
            past.name(from.name());
            delivered = from instanceof DeliveredSecrets.Source ours ? ours : null;
        }
        reader = Thread.currentThread();
        SecretValue value;
        long start = System.nanoTime();
        boolean good = false;
        try {
            value = SourceRead.read(from, store.jsonKey(ref), store.timers(), SecretStore.READ_LIMIT);
            good = true;
        } catch (SecretException e) {
            if (ref.config() instanceof DeliveredRef && available()) {
                end();
            }
            throw e;
        } finally {
            reader = null;
            store.countRead(ref.type(), good, System.nanoTime() - start);
        }
        readFailed = false;
        goodAt = store.nanoTime();
        failing = false;
        lastRead = Instant.now();
        retryMillis = FIRST_RETRY_MILLIS;
        DeliveredSecrets.Source known = delivered;
        past.read(known == null ? null : known.life());
        State before = state;
        if (!value.equals(before.value)) {
            state = new State(store.fingerprinted(value), before.version + 1);
            warnOfBlanks(value);
            if (opened) {
                users.forEach(scope -> scope.changed(this));
            }
        }
    }

    /** The value was deleted, and is not to be used any more. The lock is held. */
    private void end() {
        state = new State(null, state.version + 1);
        users.forEach(scope -> scope.changed(this));
    }

    private void warnOfBlanks(SecretValue value) {
        if (TrailingBlanks.around(value)) {
            log.warn("secret {}: {} (expected: {})", name(), TrailingBlanks.MESSAGE, TrailingBlanks.EXPECTED);
        }
    }

    void refresh() {
        reading.lock();
        try {
            if (!closed) {
                readOnce();
                plan(ttl.toMillis());
            }
        } catch (ConfigException | SecretException e) {
            failed(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            if (!closed) {
                failed("interrupted");
            }
        } catch (RuntimeException e) {
            failed("the source failed: " + PluginFault.withoutMessage(Objects.requireNonNullElse(source, this), e));
        } finally {
            reading.unlock();
            if (closed) {
                closeQuietly();
            }
        }
    }

    private void failed(String why) {
        failing = true;
        store.countFailure();
        if (available()) {
            log.warn("secret {}: refresh failed, the last value stays: {}", name(), why);
        } else if (!isDeleted()) {
            log.warn("secret {}: still not available: {}", name(), why);
        }
        planRetry();
    }

    /** Whoever deletes a value of those that are delivered means it; there is a reason when it was withdrawn. */
    private boolean isDeleted() {
        return ref.config() instanceof DeliveredRef && whyUnavailable().isEmpty();
    }

    private void planRetry() {
        if (ref.config() instanceof DeliveredRef) {
            return; // whoever delivers it says so
        }
        long delay = retryMillis;
        retryMillis = Math.min(LAST_RETRY_MILLIS, retryMillis * 2);
        plan(delay);
    }

    /** Schedules the next read, unless the delay is 0; up to a tenth earlier, so that reads do not coincide. */
    private void plan(long delayMillis) {
        if (delayMillis > 0 && !closed) {
            long delay = delayMillis - (long) (store.jitter() * (delayMillis / 10.0));
            timer = store.timers().schedule(() -> store.run(this::refresh), delay, TimeUnit.MILLISECONDS);
        }
    }

    /** Ends refreshing and closes the source, at the latest when the read in progress has ended. */
    void close() {
        closed = true;
        cancelTimer();
        Thread current = reader;
        if (current != null) {
            current.interrupt();
        }
        closeQuietly();
    }

    private void cancelTimer() {
        Future<?> planned = timer;
        if (planned != null) {
            planned.cancel(false);
        }
    }

    private void closeQuietly() {
        if (reading.tryLock()) {
            try {
                closeSource();
            } finally {
                reading.unlock();
            }
        }
    }

    private void closeSource() {
        SecretSource from = source;
        source = null;
        if (from != null) {
            try {
                from.close();
            } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
                log.warn("secret {}: closing its source failed: {}", name(), PluginFault.withoutMessage(from, e));
            }
        }
    }

    @Override
    public String toString() {
        return "Secret[" + name() + "]";
    }

    private record State(@Nullable SecretValue value, long version) {
        static final State NONE = new State(null, 0);
    }
}
