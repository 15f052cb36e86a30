package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.crypto.RecipientKey;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Faults;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.proxy.Proxies;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.control.proxy.ProxyIdentity;
import dev.sallyport.control.store.ChangeLog;
import dev.sallyport.control.store.Store;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proxies elsewhere that are connected to this process: one answer each, which stays open. Thread-safe; what is called by
 * requests blocks.
 */
@Singleton
public final class ProxyConnections implements AutoCloseable {

    /** How often a proxy hears something. */
    static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private static final Logger LOG = LoggerFactory.getLogger(ProxyConnections.class);
    /** Proxies that are noted in one transaction. */
    private static final int PORTION = 500;

    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Fanout fanout;
    private final Proxies proxies;
    private final ChangeLog changes;
    private final Clock clock;
    private final FeedMeters meters;
    private final String epoch;
    private final PipelineForms forms = new PipelineForms();
    private final SealedInFlight sealed = new SealedInFlight();
    private final Map<String, Connection> live = new ConcurrentHashMap<>();
    private final ConnectedScopes scopes = new ConnectedScopes();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sallyport-control-heartbeat").factory());

    ProxyConnections(Fanout fanout, Proxies proxies, ChangeLog changes, Store store, Clock clock, FeedMeters meters) {
        this.fanout = fanout;
        this.proxies = proxies;
        this.changes = changes;
        this.clock = clock;
        this.meters = meters;
        this.epoch = store.epoch();
        timer.scheduleAtFixedRate(this::lookForLate, 1, 1, TimeUnit.SECONDS);
        timer.scheduleAtFixedRate(this::beat, HEARTBEAT.toMillis(), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /**
     * What a proxy says it has.
     *
     * @param position epoch and revision, joined by a colon; null for none
     * @param hash of the snapshot; null for none
     * @param pipeline the hash of its pipeline; null for none
     */
    public record Held(
            @Nullable String position,
            @Nullable String hash,
            @Nullable String pipeline) {

        /** The hash, if it is of this epoch; else nothing is held that counts. */
        String in(String epoch) {
            return position != null && hash != null && position.startsWith(epoch + ":") ? hash : "";
        }
    }

    /** A connected proxy. */
    public final class Connection implements ProxySession.Receiver {

        private final ProxyIdentity proxy;
        private final Scope scope;
        private final Outlet outlet;
        private final ProxySession session;
        private final @Nullable CredentialEvents credentials;
        private final String broughtPipeline;
        private final String stream = Tokens.code();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final AtomicLong inFlight = new AtomicLong();
        private volatile @Nullable Snapshot sent;
        private volatile boolean told;

        private Connection(ProxyIdentity proxy, Scope scope, Held held, @Nullable RecipientKey key, Outlet outlet) {
            this.proxy = proxy;
            this.scope = scope;
            this.outlet = outlet;
            this.credentials = key == null ? null : new CredentialEvents(key, proxy.id(), epoch);
            this.broughtPipeline = held.pipeline() == null ? "" : held.pipeline();
            this.session = fanout.session(proxy.id(), () -> Optional.of(scope), held.in(epoch), this);
        }

        @Override
        public boolean takesCredentials() {
            return credentials != null;
        }

        @Override
        public void snapshot(ProxySession session, Snapshot snapshot) {
            Snapshot before = sent; // it has been acknowledged
            String fault = sendCredentials(before, snapshot);
            if (fault != null) {
                LOG.warn("proxy {} waits for its secrets: {}; it is tried again", proxy.id(), fault);
                session.failed();
                return;
            }
            told = true;
            String event = forms.event(
                    before == null ? null : before.pipeline(),
                    before == null ? broughtPipeline : before.pipeline().hash(),
                    snapshot,
                    () -> position(snapshot.revision(), snapshot.hash()).put("format", 1));
            sent = snapshot;
            outlet.send("snapshot", event);
        }

        /** Sends what the snapshot, which follows, has of secrets; returns why it cannot, or null. */
        private @Nullable String sendCredentials(@Nullable Snapshot before, Snapshot snapshot) {
            giveBack();
            if (credentials == null) {
                return null;
            }
            CredentialEvents.Delta delta =
                    CredentialEvents.Delta.of(before == null ? null : before.credentials(), snapshot.credentials());
            if (delta.isEmpty()) {
                return null;
            }
            long size = delta.size();
            if (!sealed.take(scope.organization(), size)) {
                return "too many are on their way";
            }
            inFlight.set(size);
            if (ended.get()) { // meanwhile
                giveBack();
            }
            String event = credentials.event(delta, snapshot.credentials());
            if (event == null) {
                giveBack();
                return "they have to be read again";
            }
            meters.sealed(delta.changes().size());
            outlet.send("secrets", event);
            return null;
        }

        private void giveBack() {
            long size = inFlight.getAndSet(0);
            if (size > 0) {
                sealed.give(scope.organization(), size);
            }
        }

        @Override
        public void confirm(long revision, String hash) {
            giveBack();
            if (!told) { // what it brought is right; later numbers come with heartbeats
                told = true;
                outlet.send("current", position(revision, hash).toString());
            }
        }

        @Override
        public boolean isUnwelcome() {
            return proxies.isRevoked(proxy.id());
        }

        @Override
        public void end() {
            outlet.end();
        }

        @Override
        public void revoke() {
            outlet.send("revoked", "{}");
            end();
        }

        @Override
        public void beat(ProxySession.@Nullable Standing standing) {
            if (standing == null) {
                outlet.send("busy", "{}");
            } else {
                outlet.send(
                        "heartbeat",
                        position(standing.applied(), standing.held()).toString());
            }
        }

        private void beat(boolean current, List<Proxies.Seen> seen) {
            ProxySession.Standing standing = session.beat(current);
            if (standing != null) {
                seen.add(new Proxies.Seen(proxy.id(), stream, standing.applied()));
            }
        }

        private void lookForLate() {
            Snapshot late = session.late(LATE_NANOS);
            if (late == null) {
                return;
            }
            OptionalLong applied = proxies.appliedRevision(proxy.id(), stream);
            if (applied.isEmpty()) {
                LOG.info("proxy {} has connected elsewhere; this connection is ended", proxy.id());
                end();
            } else if (applied.getAsLong() >= late.revision()) {
                List<Proxy.Problem> problems = late.pipeline().problems();
                if (!problems.isEmpty()) { // the other process does not know them
                    proxies.applied(proxy, stream, late.revision(), problems);
                }
                session.acknowledge(late.revision()); // it told another process
            } else if (session.late(LOST_NANOS) != null) {
                LOG.warn("proxy {} has not acknowledged a snapshot; its connection is ended", proxy.id());
                end();
            }
        }
    }

    private ObjectNode position(long revision, String hash) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("epoch", epoch)
                .put("revision", revision)
                .put("hash", hash)
                .put("valid_until", Json.text(clock.instant().plus(HEARTBEAT.multipliedBy(3))));
    }

    /**
     * Opens the answer to a proxy; an earlier one of the same proxy ends. Refuses with 409 where proxies of too many sets
     * of tags are connected.
     *
     * @param key that the proxy made when it started; without one it gets no secrets
     */
    @WithoutCaller("the proxy has shown its token")
    public Connection open(ProxyIdentity proxy, Held held, @Nullable RecipientKey key, Outlet outlet) {
        Scope scope = new Scope(proxy.organizationId(), proxy.tags());
        scopes.enter(scope);
        try {
            return open(proxy, scope, held, key, outlet);
        } catch (RuntimeException e) {
            scopes.leave(scope);
            throw e;
        }
    }

    private Connection open(ProxyIdentity proxy, Scope scope, Held held, @Nullable RecipientKey key, Outlet outlet) {
        Connection connection = new Connection(proxy, scope, held, key, outlet);
        proxies.connected(proxy, connection.stream);
        outlet.send(
                "hello",
                JsonNodeFactory.instance
                        .objectNode()
                        .put("epoch", epoch)
                        .put("proxy", proxy.id())
                        .put("stream", connection.stream)
                        .put("heartbeat_seconds", HEARTBEAT.toSeconds())
                        .toString()); // the head of the answer is not sent before
        Connection before = live.put(proxy.id(), connection);
        if (before != null) {
            fanout.disconnect(before.session);
            before.end();
        }
        fanout.connect(connection.session);
        return connection;
    }

    /** The answer to a proxy has ended. */
    @WithoutCaller("the connection has ended")
    public void closed(Connection connection) {
        if (!connection.ended.compareAndSet(false, true)) {
            return;
        }
        connection.giveBack();
        scopes.leave(connection.scope);
        fanout.disconnect(connection.session);
        live.remove(connection.proxy.id(), connection);
    }

    /**
     * What a proxy says that it has applied.
     *
     * @param epoch that of the snapshot
     * @param stream the connection over which the snapshot came; null when the proxy does not say
     * @param problems by pointer, what of it does not work
     */
    public record Applied(String epoch, @Nullable String stream, long revision, Map<String, String> problems) {}

    /**
     * A proxy has applied a snapshot. Refuses a number that no snapshot can have; another one than that of the last
     * snapshot counts for nothing, and so does what came over a connection before its last one.
     */
    @WithoutCaller("the proxy has shown its token")
    public void acknowledged(ProxyIdentity proxy, Applied applied) {
        if (!applied.epoch().equals(epoch)) {
            return;
        }
        Connection found = live.get(proxy.id()); // none: it is at another process
        String stream = applied.stream();
        Connection connection = found != null && (stream == null || stream.equals(found.stream)) ? found : null;
        Snapshot about = connection == null ? null : connection.session.sent(applied.revision());
        if (about == null && applied.revision() > changes.last()) {
            throw Refusal.invalid("revision", "a number that no change has (expected: that of the snapshot)");
        }
        if (connection != null && about == null) {
            return;
        }
        proxies.applied(
                proxy,
                connection == null ? stream : connection.stream,
                applied.revision(),
                named(about == null ? null : about.pipeline(), applied.problems()));
        if (connection != null) {
            connection.session.acknowledge(applied.revision());
        }
    }

    private static List<Proxy.Problem> named(@Nullable Compiled pipeline, Map<String, String> problems) {
        List<Proxy.Problem> named = new ArrayList<>(pipeline == null ? List.of() : pipeline.problems());
        problems.forEach((pointer, message) ->
                named.add(new Proxy.Problem(pipeline == null ? null : pipeline.origin(pointer), pointer, message)));
        return named;
    }

    private void beat() {
        List<Proxies.Seen> seen = new ArrayList<>();
        boolean current = fanout.isCurrent();
        live.values().forEach(connection -> quietly(connection, () -> connection.beat(current, seen)));
        seen.sort(Comparator.comparing(Proxies.Seen::id)); // as other processes lock them
        try {
            for (int from = 0; from < seen.size(); from += PORTION) {
                proxies.seen(seen.subList(from, Math.min(seen.size(), from + PORTION)))
                        .forEach(this::endSuperseded);
            }
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            LOG.warn("that proxies are there is not noted; it is tried again", e);
        }
    }

    /** Nobody need be there any more to take what is sent, and changes would wait for its acknowledgement. */
    private void endSuperseded(Proxies.Seen seen) {
        Connection connection = live.get(seen.id());
        if (connection != null && connection.stream.equals(seen.stream())) {
            LOG.info("proxy {} has connected elsewhere; this connection is ended", seen.id());
            connection.end();
        }
    }

    private void lookForLate() {
        live.values().forEach(connection -> quietly(connection, connection::lookForLate));
    }

    private static void quietly(Connection connection, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            LOG.warn("looking after proxy {} failed; it is tried again", connection.proxy.id(), e);
        }
    }

    @Override
    @PreDestroy
    public void close() {
        timer.shutdownNow();
        live.values().forEach(Connection::end);
    }
}
