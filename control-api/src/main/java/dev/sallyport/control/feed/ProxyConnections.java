package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sallyport.control.crypto.RecipientKey;
import dev.sallyport.control.model.Faults;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.proxy.Proxies;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.control.proxy.ProxyIdentity;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proxies elsewhere that are connected to this process: one answer each, which stays open. Thread-safe; what is called by
 * requests blocks.
 */
@Singleton
public final class ProxyConnections implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ProxyConnections.class);
    /** Proxies that are noted in one transaction. */
    private static final int PORTION = 500;

    /** How often it is looked what shared proxies have told other processes: a change that follows waits for it. */
    private static final long ELSEWHERE_MILLIS = 100;

    /** The same for proxies of an organization, whose acknowledgement may be on its way yet. */
    private static final long LATE_MILLIS = 250;

    private final FeedSite site;
    private final SharedCallers shared;
    private final Map<String, ProxyConnection> live = new ConcurrentHashMap<>();
    private final ConnectedScopes scopes = new ConnectedScopes();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sallyport-control-heartbeat").factory());

    ProxyConnections(FeedSite site, SharedCallers shared) {
        this.site = site;
        this.shared = shared;
        timer.scheduleWithFixedDelay(this::lookForLate, LATE_MILLIS, LATE_MILLIS, TimeUnit.MILLISECONDS);
        timer.scheduleWithFixedDelay(shared::lookElsewhere, ELSEWHERE_MILLIS, ELSEWHERE_MILLIS, TimeUnit.MILLISECONDS);
        long period = FeedSite.HEARTBEAT.toMillis();
        timer.scheduleAtFixedRate(this::beat, period, period, TimeUnit.MILLISECONDS);
    }

    /**
     * What a proxy says it has.
     *
     * @param position epoch and revision, joined by a colon; null for none
     * @param hash of the snapshot; null for none
     * @param pipeline the hash of its pipeline; null for none
     * @param accounts what one that accounts share has of them, by account
     */
    public record Held(
            @Nullable String position,
            @Nullable String hash,
            @Nullable String pipeline,
            Map<String, HeldAccount> accounts) {

        /** What a proxy that accounts share has, in this epoch. */
        public static Held of(String epoch, Map<String, HeldAccount> accounts) {
            return new Held(epoch + ":", null, null, accounts);
        }

        /** What is had of accounts, if it is of this epoch; else nothing is had that counts. */
        Map<String, HeldAccount> accountsIn(String epoch) {
            return position != null && position.startsWith(epoch + ":") ? accounts : Map.of();
        }

        /** The hash, if it is of this epoch; else nothing is held that counts. */
        String in(String epoch) {
            return position != null && hash != null && position.startsWith(epoch + ":") ? hash : "";
        }
    }

    /**
     * What a proxy says it has of an account.
     *
     * @param hash of its snapshot
     * @param pipeline the hash of its pipeline
     * @param callers that of {@link AccountCallers}
     */
    public record HeldAccount(String hash, String pipeline, String callers) {

        /** Whether its secrets are those of a snapshot, with the same values; its pipeline may be another one. */
        boolean hasSecretsOf(Snapshot snapshot) {
            return snapshot.credentials().hash(pipeline).equals(hash);
        }
    }

    /**
     * Opens the answer to a proxy; an earlier one of the same proxy ends. Refuses with 409 where proxies of too many sets
     * of tags are connected.
     *
     * @param key that the proxy made when it started; without one it gets no secrets
     */
    @WithoutCaller("the proxy has shown its token")
    public ProxyConnection open(ProxyIdentity proxy, Held held, @Nullable RecipientKey key, Outlet outlet) {
        if (proxy.isShared()) {
            return open(new SharedConnection(site, shared, proxy, held.accountsIn(site.epoch()), key, outlet));
        }
        OwnConnection connection = new OwnConnection(site, proxy, held, key, outlet);
        scopes.enter(connection.scope());
        try {
            return open(connection);
        } catch (RuntimeException e) {
            scopes.leave(connection.scope());
            throw e;
        }
    }

    private ProxyConnection open(ProxyConnection connection) {
        ProxyIdentity proxy = connection.proxy();
        site.proxies().connected(proxy, connection.stream());
        connection
                .outlet()
                .send(
                        "hello",
                        JsonNodeFactory.instance
                                .objectNode()
                                .put("epoch", site.epoch())
                                .put("proxy", proxy.id())
                                .put("stream", connection.stream())
                                .put("heartbeat_seconds", FeedSite.HEARTBEAT.toSeconds())
                                .toString()); // the head of the answer is not sent before
        ProxyConnection before = live.put(proxy.id(), connection);
        if (before != null) {
            before.leave();
            before.endAnswer();
        }
        connection.begin();
        return connection;
    }

    /** The answer to a proxy has ended. */
    @WithoutCaller("the connection has ended")
    public void closed(ProxyConnection connection) {
        if (!connection.hasJustEnded()) {
            return;
        }
        if (connection instanceof OwnConnection own) {
            scopes.leave(own.scope());
        }
        connection.leave();
        live.remove(connection.proxy().id(), connection);
    }

    /**
     * What a proxy says that it has applied.
     *
     * @param epoch that of the snapshot
     * @param stream the connection over which the snapshot came; null when the proxy does not say
     * @param revision that of the snapshot; of a proxy that accounts share, the number of the event
     * @param problems what of it does not work
     * @param failed the accounts of which it could not make anything, and has nothing now
     */
    public record Applied(
            String epoch, @Nullable String stream, long revision, List<Reported> problems, List<String> failed) {}

    /**
     * What does not work at a proxy.
     *
     * @param account whose policies it is in; empty for those of the organization of the proxy
     */
    public record Reported(String account, String pointer, String message) {

        Proxy.Problem problem(@Nullable String policy) {
            return new Proxy.Problem(policy, account.isEmpty() ? pointer : account + ":" + pointer, message);
        }
    }

    /**
     * A proxy has applied a snapshot. Refuses a number that no snapshot can have; another one than that of the last
     * snapshot counts for nothing, and so does what came over a connection before its last one.
     */
    @WithoutCaller("the proxy has shown its token")
    public void acknowledged(ProxyIdentity proxy, Applied applied) {
        if (!applied.epoch().equals(site.epoch())) {
            return;
        }
        ProxyConnection found = live.get(proxy.id()); // none: it is at another process
        String stream = applied.stream();
        if (found != null && (stream == null || stream.equals(found.stream()))) {
            found.acknowledged(applied);
            return;
        }
        List<Proxy.Problem> problems = applied.problems().stream()
                .map(problem -> problem.problem(null))
                .toList();
        if (proxy.isShared()) { // its numbers are known where it is connected
            site.shared().applied(proxy, stream, applied.revision(), problems, applied.failed());
        } else {
            OwnConnection.refuseUnknown(site, applied);
            site.proxies().applied(proxy, stream, applied.revision(), problems);
        }
    }

    /** How a workload stands at the proxies that all accounts share, of those that are connected to this process. */
    @WithoutCaller("whoever asks has found out whose it is")
    public List<SharedStanding> standings(String organization, String workload) {
        return live.values().stream()
                .flatMap(connection -> connection instanceof SharedConnection shared
                        ? Stream.ofNullable(shared.standing(organization, workload))
                        : Stream.empty())
                .sorted(Comparator.comparing(SharedStanding::id))
                .toList();
    }

    private void beat() {
        List<Proxies.Seen> seen = new ArrayList<>();
        boolean current = site.fanout().isCurrent();
        live.values().forEach(connection -> quietly(connection, () -> connection.beat(current, seen)));
        seen.sort(Comparator.comparing(Proxies.Seen::id)); // as other processes lock them
        try {
            for (int from = 0; from < seen.size(); from += PORTION) {
                site.proxies()
                        .seen(seen.subList(from, Math.min(seen.size(), from + PORTION)))
                        .forEach(this::endSuperseded);
            }
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            LOG.warn("that proxies are there is not noted; it is tried again", e);
        }
    }

    /** Nobody need be there any more to take what is sent, and changes would wait for its acknowledgement. */
    private void endSuperseded(Proxies.Seen seen) {
        ProxyConnection connection = live.get(seen.id());
        if (connection != null && connection.stream().equals(seen.stream())) {
            LOG.info("proxy {} has connected elsewhere; this connection is ended", seen.id());
            connection.endAnswer();
        }
    }

    private void lookForLate() {
        live.values().forEach(connection -> quietly(connection, connection::lookForLate));
    }

    private static void quietly(ProxyConnection connection, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            LOG.warn(
                    "looking after proxy {} failed; it is tried again",
                    connection.proxy().id(),
                    e);
        }
    }

    @Override
    @PreDestroy
    public void close() {
        timer.shutdownNow();
        live.values().forEach(ProxyConnection::endAnswer);
    }
}
