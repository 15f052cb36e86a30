package dev.sallyport.core.secret;

import dev.sallyport.core.config.PluginFault;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SourceContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * All secrets of a proxy. Equal references share one resolution, also across pipeline generations, for as long as some
 * {@link SecretScope} uses it. Thread-safe.
 *
 * <p>A secret with a {@code ttl} is read again in the background. When that fails, the last good value stays, a
 * warning names the secret and {@link #refreshFailures} grows; the next attempt follows after 1 s, then 2 s, up to 60
 * s. An optional secret that could not be read at all is retried in the same way.
 *
 * <p>A reload reads every secret again, whatever its {@code ttl}, see {@link #renew}.
 */
public final class SecretStore implements AutoCloseable {

    /** A reload does not repeat a read this recent: one reload may refer to a secret several times. */
    static final Duration RECENT = Duration.ofSeconds(1);

    /** The limit on one read. */
    static final Duration READ_LIMIT = Duration.ofSeconds(30);

    private final Map<String, SecretSourceFactory<?>> factories;
    private final SourceContext context;
    private final ScheduledExecutorService timers;
    private final Executor threads;
    private final DoubleSupplier jitter;
    private final LongSupplier nanoTime;
    private final LongAdder failures = new LongAdder();
    private final Map<SecretRef, SecretEntry> entries = new HashMap<>();
    private boolean closed;

    /**
     * @param factories the source factories, by {@code type}
     * @param timers runs short tasks; owned by the caller
     */
    public SecretStore(
            Map<String, SecretSourceFactory<?>> factories, SourceContext context, ScheduledExecutorService timers) {
        this(
                factories,
                context,
                timers,
                SecretStore::onVirtualThread,
                () -> ThreadLocalRandom.current().nextDouble(),
                System::nanoTime);
    }

    SecretStore(
            Map<String, SecretSourceFactory<?>> factories,
            SourceContext context,
            ScheduledExecutorService timers,
            Executor threads,
            DoubleSupplier jitter,
            LongSupplier nanoTime) {
        this.factories = Map.copyOf(factories);
        this.context = context;
        this.timers = timers;
        this.threads = threads;
        this.jitter = jitter;
        this.nanoTime = nanoTime;
    }

    private static void onVirtualThread(Runnable task) {
        Thread.ofVirtual().name("secret-refresh").start(task);
    }

    /** A scope for one pipeline generation. */
    public SecretScope open() {
        return new SecretScope(this, null);
    }

    /**
     * A scope for a start or a reload: what is resolved in it is read anew, unless that was done within the last
     * second. A secret whose read fails now keeps its value, and {@code stale} receives its name.
     */
    public SecretScope renew(Consumer<String> stale) {
        return new SecretScope(this, stale);
    }

    /** The number of background reads that have failed. */
    public long refreshFailures() {
        return failures.sum();
    }

    Secret resolve(SecretRef ref, SecretScope scope) throws ConfigException {
        SecretEntry entry = enter(ref, scope);
        try {
            entry.open(ref, scope.stale());
            return entry;
        } catch (ConfigException | RuntimeException e) {
            leave(entry, scope);
            throw e;
        }
    }

    private synchronized SecretEntry enter(SecretRef ref, SecretScope scope) {
        if (closed) {
            throw new IllegalStateException("secret store: closed (expected: an open one)");
        }
        SecretEntry entry = entries.computeIfAbsent(ref, absent -> new SecretEntry(absent, this));
        scope.enter(entry);
        entry.users().add(scope);
        return entry;
    }

    private void leave(SecretEntry entry, SecretScope scope) {
        boolean last;
        synchronized (this) {
            scope.leave(entry);
            last = forget(entry, scope);
        }
        if (last) {
            entry.close();
        }
    }

    /** The names of a scope's entries, which this lock guards. */
    synchronized Map<SecretRef, String> names(Set<SecretEntry> entries) {
        Map<SecretRef, String> names = new HashMap<>();
        entries.forEach(entry -> names.put(entry.ref(), entry.name()));
        return names;
    }

    void release(SecretScope scope) {
        List<SecretEntry> unused = new ArrayList<>();
        synchronized (this) {
            for (SecretEntry entry : scope.leaveAll()) {
                if (forget(entry, scope)) {
                    unused.add(entry);
                }
            }
        }
        unused.forEach(SecretEntry::close);
    }

    private boolean forget(SecretEntry entry, SecretScope scope) {
        entry.users().remove(scope);
        return entry.users().isEmpty() && entries.remove(entry.ref(), entry);
    }

    SecretSource create(SecretRef ref) throws ConfigException {
        SecretSourceFactory<?> factory = factories.get(ref.type());
        if (factory == null) {
            Set<String> known = new TreeSet<>(factories.keySet());
            throw new ConfigException("/type", "secret source: not known", "one of " + String.join(", ", known));
        }
        return create(factory, ref.config());
    }

    private <C extends Record> SecretSource create(SecretSourceFactory<C> factory, Record config)
            throws ConfigException {
        try {
            return factory.create(factory.descriptor().configType().cast(config), context);
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            throw PluginFault.in(factory, "create", e);
        }
    }

    ScheduledExecutorService timers() {
        return timers;
    }

    void run(Runnable blocking) {
        threads.execute(blocking);
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    double jitter() {
        return jitter.getAsDouble();
    }

    void countFailure() {
        failures.increment();
    }

    /** Closes every source. Scopes that are still open keep their values. */
    @Override
    public void close() {
        List<SecretEntry> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(entries.values());
            entries.clear();
        }
        all.forEach(SecretEntry::close);
    }
}
