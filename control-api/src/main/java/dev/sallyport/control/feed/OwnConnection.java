package dev.sallyport.control.feed;

import dev.sallyport.control.crypto.RecipientKey;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.proxy.Proxies;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.control.proxy.ProxyIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connection of a proxy that belongs to an organization: it gets one pipeline. Thread-safe. */
final class OwnConnection extends ProxyConnection implements ProxySession.Receiver {

    private static final Logger LOG = LoggerFactory.getLogger(OwnConnection.class);

    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final FeedSite site;
    private final Scope scope;
    private final ProxySession session;
    private final @Nullable CredentialEvents credentials;
    private final String broughtPipeline;
    private final AtomicLong inFlight = new AtomicLong();
    private volatile @Nullable Snapshot sent;
    private volatile boolean told;

    /** @param key that the proxy made when it started; null for a proxy that gets no secrets */
    OwnConnection(
            FeedSite site, ProxyIdentity proxy, ProxyConnections.Held held, @Nullable RecipientKey key, Outlet outlet) {
        super(proxy, outlet);
        this.site = site;
        this.scope = new Scope(proxy.organizationId(), proxy.tags());
        this.credentials = key == null ? null : new CredentialEvents(key, proxy.id(), site.epoch());
        this.broughtPipeline = held.pipeline() == null ? "" : held.pipeline();
        this.session = site.fanout().session(proxy.id(), () -> Optional.of(scope), held.in(site.epoch()), this);
    }

    Scope scope() {
        return scope;
    }

    @Override
    void begin() {
        site.fanout().connect(session);
    }

    @Override
    void leave() {
        giveBack();
        site.fanout().disconnect(session);
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
            LOG.warn("proxy {} waits for its secrets: {}; it is tried again", proxy().id(), fault);
            session.failed();
            return;
        }
        told = true;
        String event = site.forms()
                .event(
                        before == null ? null : before.pipeline(),
                        before == null ? broughtPipeline : before.pipeline().hash(),
                        snapshot,
                        () -> site.position(snapshot.revision(), snapshot.hash())
                                .put("format", 1));
        sent = snapshot;
        outlet().send("snapshot", event);
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
        if (!site.sealed().take(scope.organization(), size)) {
            return "too many are on their way";
        }
        inFlight.set(size);
        if (isOver()) { // meanwhile
            giveBack();
        }
        String event = credentials.event(delta, snapshot.credentials());
        if (event == null) {
            giveBack();
            return "they have to be read again";
        }
        site.meters().sealed(delta.changes().size());
        outlet().send("secrets", event);
        return null;
    }

    private void giveBack() {
        long size = inFlight.getAndSet(0);
        if (size > 0) {
            site.sealed().give(scope.organization(), size);
        }
    }

    @Override
    public void confirm(long revision, String hash) {
        giveBack();
        if (!told) { // what it brought is right; later numbers come with heartbeats
            told = true;
            outlet().send("current", site.position(revision, hash).toString());
        }
    }

    @Override
    public boolean isUnwelcome() {
        return site.proxies().isRevoked(proxy().id());
    }

    @Override
    public void end() {
        endAnswer();
    }

    @Override
    public void revoke() {
        outlet().send("revoked", "{}");
        endAnswer();
    }

    @Override
    public void beat(ProxySession.@Nullable Standing standing) {
        if (standing == null) {
            outlet().send("busy", "{}");
        } else {
            outlet().send(
                            "heartbeat",
                            site.position(standing.applied(), standing.held()).toString());
        }
    }

    @Override
    void beat(boolean current, List<Proxies.Seen> seen) {
        ProxySession.Standing standing = session.beat(current);
        if (standing != null) {
            seen.add(new Proxies.Seen(proxy().id(), stream(), standing.applied()));
        }
    }

    @Override
    void lookForLate() {
        Snapshot late = session.late(LATE_NANOS);
        if (late == null) {
            return;
        }
        OptionalLong applied = site.proxies().appliedRevision(proxy().id(), stream());
        if (applied.isEmpty()) {
            LOG.info("proxy {} has connected elsewhere; this connection is ended", proxy().id());
            endAnswer();
        } else if (applied.getAsLong() >= late.revision()) {
            List<Proxy.Problem> problems = late.pipeline().told();
            if (!problems.isEmpty()) { // the other process does not know them
                site.proxies().applied(proxy(), stream(), late.revision(), problems);
            }
            session.acknowledge(late.revision()); // it told another process
        } else if (session.late(LOST_NANOS) != null) {
            LOG.warn("proxy {} has not acknowledged a snapshot; its connection is ended", proxy().id());
            endAnswer();
        }
    }

    @Override
    void acknowledged(ProxyConnections.Applied applied) {
        Snapshot about = session.sent(applied.revision());
        if (about == null) {
            refuseUnknown(site, applied);
            return;
        }
        site.proxies().applied(proxy(), stream(), applied.revision(), problems(about.pipeline(), applied.problems()));
        session.acknowledge(applied.revision());
    }

    /** Refuses a number that no snapshot can have. */
    static void refuseUnknown(FeedSite site, ProxyConnections.Applied applied) {
        if (applied.revision() > site.changes().last()) {
            throw Refusal.invalid("revision", "a number that no change has (expected: that of the snapshot)");
        }
    }

    private static List<Proxy.Problem> problems(Compiled pipeline, List<ProxyConnections.Reported> reported) {
        List<Proxy.Problem> named = new ArrayList<>(pipeline.told());
        reported.forEach(
                each -> named.add(new Proxy.Problem(pipeline.origin(each.pointer()), each.pointer(), each.message())));
        return named;
    }
}
