package dev.sallyport.core.secret;

import dev.sallyport.core.config.PluginFault;
import dev.sallyport.core.meter.Gauges;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Meters;
import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretRef;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

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
public sealed class SecretStore implements AutoCloseable permits LenientSecretStore {

    /** A reload does not repeat a read this recent: one reload may refer to a secret several times. */
    static final Duration RECENT = Duration.ofSeconds(1);

    /** The limit on one read. */
    static final Duration READ_LIMIT = Duration.ofSeconds(30);

    private final Map<String, SecretSourceFactory<?>> factories;
    private final EngineSourceContext context;
    private final ScheduledExecutorService timers;
    private final Executor threads;
    private final DoubleSupplier jitter;
    private final LongSupplier nanoTime;
    private final Meters.Family<Meters.Timer> reads;
    private final UnaryOperator<SecretValue> fingerprint;
    private final LongAdder failures = new LongAdder();
    private final Map<SecretRef, SecretEntry> entries = new HashMap<>();
    /** Those of delivered secrets, by global id. */
    private final Map<String, Set<SecretEntry>> delivered = new HashMap<>();

    private volatile long deletions;
    private boolean closed;

    /**
     * @param factories the source factories, by {@code type}
     * @param timers runs short tasks; owned by the caller
     */
    public SecretStore(
            Map<String, SecretSourceFactory<?>> factories,
            EngineSourceContext context,
            ScheduledExecutorService timers) {
        this(factories, context, timers, new MeterRegistry(OpenTelemetry.noop()), value -> value);
    }

    /**
     * @param factories the source factories, by {@code type}
     * @param timers runs short tasks; owned by the caller
     * @param meters for the duration of reads and the age of secrets
     * @param fingerprint adds the fingerprint that identifies a value in audit records
     */
    public SecretStore(
            Map<String, SecretSourceFactory<?>> factories,
            EngineSourceContext context,
            ScheduledExecutorService timers,
            MeterRegistry meters,
            UnaryOperator<SecretValue> fingerprint) {
        this(
                factories,
                context,
                timers,
                SecretStore::onVirtualThread,
                () -> ThreadLocalRandom.current().nextDouble(),
                System::nanoTime,
                meters,
                fingerprint);
    }

    SecretStore(
            Map<String, SecretSourceFactory<?>> factories,
            EngineSourceContext context,
            ScheduledExecutorService timers,
            Executor threads,
            DoubleSupplier jitter,
            LongSupplier nanoTime) {
        this(
                factories,
                context,
                timers,
                threads,
                jitter,
                nanoTime,
                new MeterRegistry(OpenTelemetry.noop()),
                value -> value);
    }

    private SecretStore(
            Map<String, SecretSourceFactory<?>> factories,
            EngineSourceContext context,
            ScheduledExecutorService timers,
            Executor threads,
            DoubleSupplier jitter,
            LongSupplier nanoTime,
            MeterRegistry meters,
            UnaryOperator<SecretValue> fingerprint) {
        this.factories = Map.copyOf(factories);
        this.context = context;
        this.timers = timers;
        this.threads = threads;
        this.jitter = jitter;
        this.nanoTime = nanoTime;
        this.fingerprint = fingerprint;
        reads = meters.timer(
                "secret.read.duration",
                "How long sources took to give a secret or to fail, by the type of the source.",
                "source",
                "outcome");
        meters.sum("secret.refresh_failures", "", "Secrets that could not be read again.", this::refreshFailures);
        meters.gauges("secret.age", "s", "Time since a secret was last read.", this::ages, "secret");
        meters.gauges("secret.stale", "", "Whether the last read of a secret failed.", this::stale, "secret");
    }

    private void ages(Gauges to) {
        for (SecretStatus state : states()) {
            if (state.ageSeconds() >= 0) {
                to.tell(state.ageSeconds(), state.name());
            }
        }
    }

    private void stale(Gauges to) {
        states().forEach(state -> to.tell(state.failing() ? 1 : 0, state.name()));
    }

    /**
     * The status of all secrets by name. Secrets with one name, such as fields of one JSON document, share a status:
     * the oldest age, and failing if any of them fails.
     */
    public Collection<SecretStatus> states() {
        List<SecretEntry> all;
        synchronized (this) {
            all = List.copyOf(entries.values());
        }
        Map<String, SecretStatus> byName = new TreeMap<>();
        for (SecretEntry entry : all) {
            byName.merge(entry.name(), entry.status(), SecretStatus::worse);
        }
        return byName.values();
    }

    /** A read has ended. */
    void countRead(String source, boolean good, long nanos) {
        reads.of(source, good ? "ok" : "failed").record(Duration.ofNanos(nanos));
    }

    private static void onVirtualThread(Runnable task) {
        Thread.ofVirtual().name("secret-refresh").start(task);
    }

    /** A scope for one pipeline generation. */
    public SecretScope open() {
        return new SecretScope(this, null);
    }

    /**
     * Opens a scope for a start or a reload: secrets resolved in it are read again, unless they were read within the
     * last second. A secret whose read fails keeps its value, and {@code stale} receives its name.
     */
    public SecretScope renew(Consumer<String> stale) {
        return new SecretScope(this, stale);
    }

    /** The status of a secret; null when no scope uses it. Does not wait for a read. */
    public synchronized @Nullable SecretStatus status(SecretRef ref) {
        SecretEntry entry = entries.get(ref);
        return entry == null ? null : entry.status();
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
        SecretEntry entry = entries.get(ref);
        if (entry == null) {
            entry = new SecretEntry(ref, this);
            entries.put(ref, entry);
            if (ref.config() instanceof DeliveredRef id) {
                delivered.computeIfAbsent(id.ref(), absent -> new HashSet<>(2)).add(entry);
            }
        }
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
        boolean last = entry.users().isEmpty() && entries.remove(entry.ref(), entry);
        if (last && entry.ref().config() instanceof DeliveredRef id) {
            delivered.computeIfPresent(id.ref(), (ref, users) -> users.remove(entry) && users.isEmpty() ? null : users);
        }
        return last;
    }

    /** How many deletions of delivered secrets there were: a value that was read before the latest may be one of those. */
    public long deletions() {
        return deletions;
    }

    /**
     * These are over: their values were deleted, and {@link #delivered} has been told, so that nothing that begins now has
     * one. Their number is there before anybody can see that the count has grown.
     */
    public synchronized void deleted(Collection<DeliveredLife> lives) {
        long number = deletions + 1;
        lives.forEach(life -> life.deletedAt(number));
        deletions = number;
    }

    /**
     * Reads delivered secrets again, because their values were replaced or deleted: they count at once, wherever they
     * are used. Does not block for long.
     */
    public void delivered(Set<String> ids) {
        List<SecretEntry> concerned = new ArrayList<>();
        synchronized (this) {
            for (String id : ids) {
                concerned.addAll(delivered.getOrDefault(id, Set.of()));
            }
        }
        concerned.forEach(SecretEntry::refresh);
    }

    SecretSource create(SecretRef ref) throws ConfigException {
        SecretSourceFactory<?> factory = factories.get(ref.type());
        if (factory == null) {
            Set<String> known = new TreeSet<>(factories.keySet());
            throw new ConfigException("/type", "secret source: not known", "one of " + String.join(", ", known));
        }
        return create(factory, ref.config(), context.lentTo(ref.type()));
    }

    private static <C extends Record> SecretSource create(
            SecretSourceFactory<C> factory, Record config, SourceContext context) throws ConfigException {
        try {
            return factory.create(factory.descriptor().configType().cast(config), context);
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            throw PluginFault.in(factory, "create", e);
        }
    }

    /** The value, with its fingerprint where there is an audit key. */
    SecretValue fingerprinted(SecretValue value) {
        return fingerprint.apply(value);
    }

    /** The field to extract from what a source reads; empty for none. */
    String jsonKey(SecretRef ref) {
        return ref.jsonKey();
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
