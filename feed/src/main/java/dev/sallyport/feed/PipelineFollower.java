package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes by the pipeline of the organization that a proxy belongs to: applies each snapshot as a whole, acknowledges it by its
 * number, and keeps the last one.
 *
 * <p>Secrets come sealed for a key that this proxy makes when it starts. They come before the snapshot that they belong to,
 * and into force with it.
 */
final class PipelineFollower implements Follower {

    private static final Logger LOG = LoggerFactory.getLogger(PipelineFollower.class);

    private static final Duration KEEP_AGAIN = Duration.ofMinutes(5);

    private final ControlPlaneConfig config;
    private final ControlPlaneConnection connection;
    private final HeldPolicy held;
    private final BootKey key;

    /** What is kept for the next start; null for nothing. */
    private final @Nullable CacheKeeper keeper;

    private volatile Instant keptAt = Instant.EPOCH;
    private volatile boolean openedLate;
    private @Nullable Acknowledgement owed;
    private Greeting greeting = Greeting.NONE;

    /** The secrets of the snapshot that follows; null for those that are held. */
    private @Nullable Credentials incoming;

    /** What has been applied and not yet been told. */
    private record Acknowledgement(Snapshot snapshot, List<ConfigProblem> problems) {}

    /** @param keeper of what is kept for the next start; null for nothing */
    PipelineFollower(
            ControlPlaneConfig config,
            HeldPolicy held,
            ControlPlaneConnection connection,
            BootKey key,
            @Nullable CacheKeeper keeper) {
        this.config = config;
        this.held = held;
        this.keeper = keeper;
        this.connection = connection;
        this.key = key;
    }

    @Override
    public void prepare() throws ConfigException {
        held.begin();
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

    @Override
    public void prepareLate() {
        if (openedLate && keeper != null) {
            openedLate = false;
            if (held.snapshot() == null) {
                begin(keeper);
            }
        }
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
    public Holding held() {
        Snapshot present = held.snapshot();
        return present == null ? new Holding.Nothing() : new Holding.OfPipeline(present);
    }

    @Override
    public void greeted(Greeting next) {
        greeting = next;
        incoming = null;
    }

    @Override
    public boolean received(EventReader.Event event) throws IOException, InterruptedException {
        switch (event.name()) {
            case "secrets" -> secrets(Pipelines.JSON.readTree(event.data()));
            case "snapshot" -> {
                snapshot(Pipelines.JSON.readTree(event.data()));
                return true;
            }
            case "current", "heartbeat" -> {
                confirmed(Pipelines.JSON.readTree(event.data()));
                return true;
            }
            default -> LOG.debug("an unknown event: {}", event.name());
        }
        return false;
    }

    @Override
    public boolean expire() {
        if (!held.expire()) {
            return false;
        }
        keep();
        return true;
    }

    @Override
    public void end() {
        held.withhold();
        if (keeper != null) {
            synchronized (this) {
                keeper.wipe(); // after what is being kept
            }
        }
    }

    private void secrets(JsonNode json) throws IOException {
        try {
            incoming = Credentials.of(json, present(), key, greeting.proxy(), greeting.epoch());
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
            connection.acknowledge(
                    told.snapshot().epoch(),
                    told.snapshot().revision(),
                    greeting.stream(),
                    ControlPlaneConnection.Fault.of("", told.problems()),
                    Set.of());
            owed = null;
        }
    }

    private void confirmed(JsonNode json) throws IOException, InterruptedException {
        Snapshot present = held.snapshot();
        if (present == null || !json.path("hash").asText().equals(present.hash())) {
            throw new IOException("the control plane takes this proxy to have what it has not");
        }
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
}
