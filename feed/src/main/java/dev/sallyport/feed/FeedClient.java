package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.Companion;
import dev.sallyport.core.ProxyInfo;
import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a control plane: has what it says applied, see {@link Follower}. Until there is something, everybody is refused
 * (503 {@code not_ready}). A connection that is lost is made again.
 *
 * <p>Threads: one reads the stream and applies; a timer ends a silent connection, and the validity of what is held.
 */
final class FeedClient implements Companion {

    private static final Logger LOG = LoggerFactory.getLogger(FeedClient.class);

    private static final Duration SILENCE = Duration.ofSeconds(45);
    private static final Duration OTHER_REFUSAL = Duration.ofSeconds(60);

    private final ControlPlaneConnection connection;
    private final EventDelivery events;
    private final HeadReporter heads;
    private final Backoff backoff = new Backoff(new SecureRandom());
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sallyport-feed-timer").factory());
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-feed-client").unstarted(this::run);

    private final Follower follower;
    private final BootKey key;
    private final @Nullable CacheKeeper keeper;

    private volatile @Nullable InputStream stream;
    private volatile long heardNanos;
    private volatile boolean closed;
    private @Nullable Instant refusedSince;

    /**
     * What goes the other way, and what stays here.
     *
     * @param keeper null for nothing
     */
    record Parts(
            EventDelivery events,
            HeadReporter heads,
            @Nullable CacheKeeper keeper) {}

    /** @param key for which secrets are to be sealed */
    FeedClient(ControlPlaneConnection connection, Follower follower, BootKey key, Parts parts) {
        this.connection = connection;
        this.follower = follower;
        this.key = key;
        this.events = parts.events();
        this.heads = parts.heads();
        this.keeper = parts.keeper();
    }

    @Override
    public void prepare() throws ConfigException {
        follower.prepare();
        events.prepare();
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
            if (follower.expire()) {
                endStream(); // to ask for it again
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
                follower.prepareLate();
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
        follower.greeted(Follower.Greeting.NONE);
        ControlPlaneConnection.Stream answer = connection.follow(follower.held(), key);
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
            follower.end();
        }
    }

    private void received(EventReader.Event event) throws IOException, InterruptedException {
        switch (event.name()) {
            case "hello" -> {
                JsonNode json = Pipelines.JSON.readTree(event.data());
                follower.greeted(new Follower.Greeting(
                        json.path("proxy").asText(),
                        json.path("epoch").asText(),
                        json.path("stream").asText()));
            }
            case "revoked" -> follower.end();
            default -> {
                if (follower.received(event)) {
                    backoff.reset();
                }
            }
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
