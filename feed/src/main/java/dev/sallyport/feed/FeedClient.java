package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.Companion;
import dev.sallyport.core.CompanionContext;
import dev.sallyport.core.ProxyInfo;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a control plane: applies each snapshot as a whole, acknowledges it by its number, and keeps the last one. Until
 * there is a first one, everybody is refused (503 {@code not_ready}). A connection that is lost is made again with what is
 * held, so that nothing is sent twice.
 *
 * <p>Secrets come sealed for a key that this proxy makes when it starts. They come before the snapshot that they belong to,
 * and into force with it.
 *
 * <p>Threads: one reads the stream and applies; a timer ends a silent connection, and the validity of what is held.
 */
final class FeedClient implements Companion {

    private static final Logger LOG = LoggerFactory.getLogger(FeedClient.class);

    private static final Duration SILENCE = Duration.ofSeconds(45);
    private static final Duration OTHER_REFUSAL = Duration.ofSeconds(60);
    private static final Duration KEEP_AGAIN = Duration.ofMinutes(5);

    private final ControlPlaneConfig config;
    private final ControlPlaneConnection connection;
    private final EventDelivery events;
    private final HeadReporter heads;
    private final Backoff backoff = new Backoff(new SecureRandom());
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sallyport-feed-timer").factory());
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-feed-client").unstarted(this::run);

    private final HeldPolicy held;
    private final BootKey key = BootKey.make();

    /** What is kept for the next start; null for nothing. */
    private final @Nullable CacheKeeper keeper;

    private volatile Instant keptAt = Instant.EPOCH;
    private volatile @Nullable InputStream stream;
    private volatile long heardNanos;
    private volatile boolean closed;
    private @Nullable Instant refusedSince;
    private volatile boolean openedLate;
    private @Nullable Acknowledgement owed;

    /** What the control plane calls this proxy, on this connection. */
    private String name = "";

    private String epoch = "";

    /** What the control plane calls this connection; empty when it does not. */
    private String connectionName = "";

    /** The secrets of the snapshot that follows; null for those that are held. */
    private @Nullable Credentials incoming;

    /** What has been applied and not yet been told. */
    private record Acknowledgement(Snapshot snapshot, List<ConfigProblem> problems) {}

    /** What goes the other way, and what stays here. */
    record Parts(
            EventDelivery events,
            HeadReporter heads,
            @Nullable CacheKeeper keeper) {}

    FeedClient(ControlPlaneConfig config, CompanionContext context, ControlPlaneConnection connection, Parts parts) {
        this.config = config;
        this.connection = connection;
        this.held = new HeldPolicy(config, context);
        this.events = parts.events();
        this.heads = parts.heads();
        this.keeper = parts.keeper();
    }

    @Override
    public void prepare() throws ConfigException {
        held.begin();
        events.prepare();
        if (keeper != null) {
            keeper.open(this::opened);
            begin(keeper);
        }
    }

    /** What is in force can be kept from now on. What was kept before is looked at by the thread that applies. */
    private void opened() {
        openedLate = true;
        keep();
    }

    /** Starts with what was kept. */
    private void begin(CacheKeeper keeper) {
        try {
            SnapshotCache.Kept kept = keeper.read();
            if (kept == null) {
                return;
            }
            if (kept.at().plus(config.maxOffline()).isBefore(Instant.now())) {
                LOG.warn("the snapshot that was kept is of {}: too old to be used", kept.at());
                return;
            }
            held.take(kept.snapshot(), kept.at());
            if (kept.snapshot().credentials().mayExpire() && !present().mayExpire()) {
                keep(); // without the values, which have expired
            }
            LOG.info("policies of {} are in force until the control plane answers", kept.at());
        } catch (IOException e) {
            LOG.warn("the snapshot that was kept is not used: {}", e.getMessage());
        }
    }

    @Override
    public void started(ProxyInfo proxy) {
        timer.scheduleAtFixedRate(this::look, 1, 1, TimeUnit.SECONDS);
        thread.start();
        events.start();
        heads.start();
    }

    /** False while there is no room for events. */
    @Override
    public boolean ready() {
        return events.ready();
    }

    /** A silent connection is no connection, and what was held for too long holds no more. */
    private void look() {
        try {
            if (held.expire()) {
                keep();
                endStream(); // to ask for them again
            }
        } catch (RuntimeException e) {
            LOG.error("what is held cannot be withdrawn; it is tried again", e);
        }
        if (stream != null && System.nanoTime() - heardNanos > SILENCE.toNanos()) {
            LOG.warn("the control plane has been silent for {} s", SILENCE.toSeconds());
            endStream();
        }
    }

    private void endStream() {
        InputStream open = stream;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                LOG.debug("closing the stream: {}", e.toString());
            }
        }
    }

    private void run() {
        while (!closed) {
            Duration wait = null;
            try {
                beginLate();
                wait = attempt();
            } catch (IOException e) {
                LOG.info("the control plane cannot be reached: {}", e.toString());
            } catch (InterruptedException e) {
                LOG.debug("woken");
            } catch (RuntimeException | Error e) {
                LOG.error("following the control plane failed; it is tried again", e);
            }
            Duration jitter = backoff.next();
            pause(wait == null || wait.compareTo(jitter) < 0 ? jitter : wait.plus(jitter));
        }
    }

    /** A key that was not to be had at the start may be here, and the control plane still away. */
    private void beginLate() {
        if (openedLate && keeper != null) {
            openedLate = false;
            if (held.snapshot() == null) {
                begin(keeper);
            }
        }
    }

    private void pause(Duration wait) {
        long end = System.nanoTime() + wait.toNanos();
        for (long left = wait.toNanos(); left > 0 && !closed; left = end - System.nanoTime()) {
            try {
                TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.SECONDS.toNanos(1)));
            } catch (InterruptedException e) {
                LOG.debug("woken");
            }
        }
    }

    /** One connection, from its beginning to its end; returns how long to wait at least, or null. */
    private @Nullable Duration attempt() throws IOException, InterruptedException {
        incoming = null;
        name = "";
        epoch = "";
        connectionName = "";
        ControlPlaneConnection.Stream answer = connection.follow(held.snapshot(), key);
        if (answer.status() == 401) {
            refused(answer.code());
            return null;
        }
        refusedSince = null;
        if (answer.status() != 200) {
            LOG.info("the control plane answers {} {}", answer.status(), answer.code());
            return answer.retryAfter();
        }
        heardNanos = System.nanoTime();
        stream = answer.body();
        try (InputStream body = answer.body()) {
            EventReader events = new EventReader(body);
            for (EventReader.Event event = events.next(); event != null && !closed; event = events.next()) {
                heardNanos = System.nanoTime();
                received(event);
            }
        } finally {
            stream = null;
        }
        return null;
    }

    /** A revoked token ends at once; another refusal may be a fault on the way, and ends after a minute. */
    private void refused(String code) {
        Instant now = Instant.now();
        if (refusedSince == null) {
            refusedSince = now;
        }
        boolean revoked = code.equals("proxy_revoked");
        LOG.error("the control plane refuses the token of this proxy: {}", code);
        if (revoked || refusedSince.plus(OTHER_REFUSAL).isBefore(now)) {
            end();
        }
    }

    /** Forgets everything, and refuses everybody. */
    private void end() {
        held.withhold();
        if (keeper != null) {
            synchronized (this) {
                keeper.wipe(); // after what is being kept
            }
        }
    }

    private void received(EventReader.Event event) throws IOException, InterruptedException {
        switch (event.name()) {
            case "hello" -> hello(Pipelines.JSON.readTree(event.data()));
            case "secrets" -> secrets(Pipelines.JSON.readTree(event.data()));
            case "snapshot" -> snapshot(Pipelines.JSON.readTree(event.data()));
            case "current", "heartbeat" -> confirmed(Pipelines.JSON.readTree(event.data()));
            case "revoked" -> end();
            default -> LOG.debug("an unknown event: {}", event.name());
        }
    }

    private void hello(JsonNode json) {
        name = json.path("proxy").asText();
        epoch = json.path("epoch").asText();
        connectionName = json.path("stream").asText();
    }

    private void secrets(JsonNode json) throws IOException {
        try {
            incoming = Credentials.of(json, present(), key, name, epoch);
        } catch (UnusableSnapshotException e) {
            LOG.error("secrets that the control plane sent are not applied: {}", e.getMessage());
            throw new IOException(e.getMessage(), e);
        }
    }

    private Credentials present() {
        Snapshot present = held.snapshot();
        return present == null ? Credentials.NONE : present.credentials();
    }

    private void snapshot(JsonNode json) throws IOException, InterruptedException {
        Snapshot snapshot;
        List<ConfigProblem> problems;
        Credentials brought = incoming;
        incoming = null;
        try {
            snapshot = Snapshot.of(json, held.snapshot(), brought == null ? present() : brought);
            problems = held.take(snapshot, Instant.now());
        } catch (UnusableSnapshotException e) {
            LOG.error("what the control plane sent is not applied: {}", e.getMessage());
            throw new IOException(e.getMessage(), e);
        }
        backoff.reset();
        keep();
        problems.forEach(problem -> LOG.error(
                "the pipeline cannot be built, and everything is refused: {}: {}",
                problem.pointer(),
                problem.message()));
        LOG.info("revision {} is in force", snapshot.revision());
        owed = new Acknowledgement(snapshot, problems);
        acknowledge();
    }

    /** One that failed before is told on the next connection. */
    private void acknowledge() throws IOException, InterruptedException {
        Acknowledgement told = owed;
        if (told != null) {
            connection.acknowledge(told.snapshot(), connectionName, told.problems());
            owed = null;
        }
    }

    private void confirmed(JsonNode json) throws IOException, InterruptedException {
        Snapshot present = held.snapshot();
        if (present == null || !json.path("hash").asText().equals(present.hash())) {
            throw new IOException("the control plane takes this proxy to have what it has not");
        }
        backoff.reset();
        held.confirm();
        if (keptAt.plus(KEEP_AGAIN).isBefore(held.confirmed())) {
            keep();
        }
        acknowledge();
    }

    private synchronized void keep() {
        Snapshot present = held.snapshot();
        Instant confirmed = held.confirmed();
        if (keeper != null && present != null && keeper.keep(present, confirmed)) {
            keptAt = confirmed;
        }
    }

    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        endStream();
        thread.interrupt();
        events.close();
        heads.close();
        if (keeper != null) {
            keeper.close();
        }
        connection.close();
    }
}
