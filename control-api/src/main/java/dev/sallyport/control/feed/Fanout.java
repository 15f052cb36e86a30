package dev.sallyport.control.feed;

import dev.sallyport.control.model.Faults;
import dev.sallyport.control.model.Outcome;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.ChangeLog;
import dev.sallyport.control.store.Store;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives every connected proxy the pipeline of its scope: when it connects, and whenever policies change. One thread compiles,
 * once for each scope, and only what some proxy can take at once: what changes while all of an organization still apply
 * what they have, or rest after it, is compiled when the first of them is through. A change begins a round at once; those that follow within
 * 50 ms are one round. A wake-up may be lost: the log of changes is read again every five seconds. Thread-safe.
 */
@Singleton
public final class Fanout implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Fanout.class);

    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** A round that ends well comes every five seconds; without one for so long, nobody knows what proxies should have. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** How often it is looked whether that has come about which another process may do, so that nobody tells. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ChangeLog changes;
    private final Accounts accounts;
    private final FeedMeters meters;
    private final Set<ProxySession> sessions = ConcurrentHashMap.newKeySet();
    private final WaitPlaces places = new WaitPlaces();
    private final Object progress = new Object();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-control-feed").unstarted(this::run);

    private final List<Members> members = new CopyOnWriteArrayList<>();
    private volatile boolean woken;
    private volatile boolean closed;
    private volatile boolean started;
    private volatile long readAt = System.nanoTime();
    private final LatestPipelines latest = new LatestPipelines();
    private volatile long position;

    /** Organizations that have changed, none of whose proxies could take anything; only the thread uses them. */
    private Set<String> postponed = Set.of();

    Fanout(Store store, ChangeLog changes, Accounts accounts, FeedMeters meters) {
        this.changes = changes;
        this.accounts = accounts;
        this.meters = meters;
        meters.observe(sessions, this::behindNanos);
        store.onChange(this::wake);
    }

    /** Is told of changes from the next round on, before proxies are. */
    void follow(Members those) {
        members.add(those);
    }

    /** Begins. */
    @WithoutCaller("part of the start")
    public void start() {
        readAt = System.nanoTime();
        started = true;
        thread.start();
    }

    /** Whether changes are being read: else nobody knows whether proxies have what they should have. */
    @WithoutCaller("it shows nothing")
    public boolean isCurrent() {
        return behindNanos() == 0;
    }

    private long behindNanos() {
        long since = System.nanoTime() - readAt;
        return started && since > LATE_NANOS ? since : 0;
    }

    /** Begins a round soon. */
    @WithoutCaller("it shows nothing")
    public void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    /**
     * Prepares a session, which has yet to be {@linkplain #connect connected}.
     *
     * @param scope whose policies it gets; asked in each round until it is known
     * @param held the hash of what the proxy says it has; empty for nothing
     */
    @WithoutCaller("whoever connects it has authenticated the proxy")
    public ProxySession session(
            String name, Supplier<Optional<Scope>> scope, String held, ProxySession.Receiver receiver) {
        return new ProxySession(name, scope, held, receiver, new ProxySession.Watch() {
            @Override
            public void sent() {
                meters.sent();
            }

            @Override
            public void progressed() {
                Fanout.this.progressed();
            }

            @Override
            public void hungry() {
                wake();
            }
        });
    }

    /** Adds a proxy, which is soon offered its snapshot. */
    @WithoutCaller("whoever connects it has authenticated the proxy")
    public void connect(ProxySession session) {
        sessions.add(session);
        wake();
    }

    /** Removes a proxy. */
    @WithoutCaller("the connection has ended")
    public void disconnect(ProxySession session) {
        sessions.remove(session);
        progressed();
    }

    /** How many proxies are connected. */
    @WithoutCaller("a number for the meters")
    public int connected() {
        return Math.toIntExact(FeedMeters.proxies(sessions));
    }

    /** Has those look again who wait for something. */
    void progressed() {
        synchronized (progress) {
            progress.notifyAll();
        }
    }

    /**
     * Waits until the connected proxies of an organization have applied a change, and then until what else it brings about
     * has come. Blocks, unless too many wait already.
     *
     * @return whether all of that is so
     */
    @WithoutCaller("the caller has made the change")
    public boolean awaitApplied(String organization, long revision, Outcome outcome, Duration timeout) {
        BooleanSupplier condition = () -> position >= revision // a round has said who follows
                && members.stream().allMatch(each -> each.isSettled(organization))
                && sessions.stream()
                        .filter(session -> session.follows(organization))
                        .allMatch(session -> session.applied() >= revision);
        if (!places.enter(organization)) {
            return condition.getAsBoolean() && outcome.look() == Outcome.Standing.REACHED;
        }
        try {
            long end = System.nanoTime() + timeout.toNanos();
            return awaits(condition, timeout) && reaches(outcome, end);
        } finally {
            places.leave(organization);
        }
    }

    private boolean reaches(Outcome outcome, long end) {
        Outcome.Standing standing = outcome.look();
        while (standing == Outcome.Standing.OPEN
                && !closed
                && !Thread.currentThread().isInterrupted()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
            standing = outcome.look();
        }
        return standing == Outcome.Standing.REACHED;
    }

    /** Waits until a proxy has applied something. Blocks. */
    @WithoutCaller("part of the start")
    public boolean awaitFirst(ProxySession session, Duration timeout) {
        return awaits(() -> session.applied() > 0, timeout);
    }

    private boolean awaits(BooleanSupplier condition, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            synchronized (progress) {
                while (!condition.getAsBoolean()) {
                    long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                    if (left <= 0 || closed) {
                        return false;
                    }
                    progress.wait(left);
                }
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void run() {
        long last = System.nanoTime() - GATHER_NANOS;
        while (!closed) {
            if (!woken) {
                LockSupport.parkNanos(
                        members.stream().mapToLong(Members::quietNanos).reduce(freeNanos(), Math::min));
            }
            sleep(last + GATHER_NANOS);
            woken = false;
            last = System.nanoTime();
            try {
                round();
            } catch (RuntimeException | Error e) {
                Faults.survived(e);
                LOG.warn("policies cannot be read; proxies keep what they have, and it is tried again", e);
            }
        }
    }

    /** How long until a proxy has rested for which something was postponed; five seconds at most. */
    private long freeNanos() {
        return postponed.isEmpty()
                ? PERIOD_NANOS
                : sessions.stream()
                        .filter(session -> postponed.stream().anyMatch(session::follows))
                        .mapToLong(ProxySession::freeNanos)
                        .reduce(PERIOD_NANOS, Math::min);
    }

    /** What changes meanwhile belongs to the round that follows. */
    private void sleep(long until) {
        for (long left = until - System.nanoTime(); left > 0 && !closed; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Reads the number first: what is read afterwards contains that change, and maybe later ones. */
    private void round() {
        long last = changes.last();
        Set<String> since = last == position ? Set.of() : changes.organizations(position, last);
        members.forEach(each -> each.changed(since));
        Map<String, List<ProxySession>> followers = new HashMap<>();
        Set<Scope> present = new HashSet<>();
        for (ProxySession session : sessions) {
            Scope scope = scope(session);
            if (scope != null) {
                present.add(scope);
                followers
                        .computeIfAbsent(scope.organization(), any -> new ArrayList<>())
                        .add(session);
            }
        }
        Set<String> changed = new HashSet<>(since);
        changed.addAll(postponed);
        Set<String> busy = busy(changed, followers);
        changed.removeAll(busy);
        Set<String> known = latest.unreadable();
        Set<String> unreadable = new HashSet<>(known);
        unreadable.removeAll(busy);
        Offers.Round round = new Offers.Round(last, latest.take(changed), latest.take(unreadable));
        followers.forEach((organization, following) -> {
            if (busy.contains(organization)) {
                boolean changedNow = since.contains(organization);
                following.forEach(session -> postpone(session, changedNow));
                return;
            }
            try (Offers offers = new Offers(organization, round, accounts, latest, meters)) {
                serve(following, changed.contains(organization), unreadable.contains(organization), offers);
            }
        });
        latest.keep(present);
        accounts.forgetOld();
        if (!known.containsAll(latest.unreadable())) {
            woken = true; // they may have been sealed anew, and are read again at once, for once
        }
        postponed = busy;
        position = last;
        readAt = System.nanoTime();
        if (!since.isEmpty()) {
            progressed();
        }
    }

    /** Those whose pipelines nobody could take now: when somebody can, they may have changed again. */
    private static Set<String> busy(Set<String> changed, Map<String, List<ProxySession>> followers) {
        Set<String> busy = new HashSet<>();
        for (String organization : changed) {
            List<ProxySession> following = followers.getOrDefault(organization, List.of());
            if (!following.isEmpty() && following.stream().noneMatch(ProxySession::isFree)) {
                busy.add(organization);
            }
        }
        return busy;
    }

    /**
     * It is offered what there is then when it has applied what it has.
     *
     * @param changed whether something of its organization has changed since the last round
     */
    private void postpone(ProxySession session, boolean changed) {
        try {
            if (changed && session.revokeIfUnwelcome()) {
                disconnect(session);
                return;
            }
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            LOG.warn("whether proxy {} may be served cannot be read; it is tried again", session.name(), e);
        }
        session.doubt();
        if (session.isFree()) {
            wake(); // it has become so meanwhile
        }
    }

    private static @Nullable Scope scope(ProxySession session) {
        try {
            return session.findScope();
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            LOG.warn("whose policies proxy {} gets cannot be read; it is tried again", session.name(), e);
            return null;
        }
    }

    /**
     * What fails for a proxy, or for an organization, concerns no other.
     *
     * @param again whether secrets could not be decrypted before, so that they are offered as far as they can be now
     */
    private void serve(List<ProxySession> following, boolean changed, boolean again, Offers offers) {
        for (ProxySession session : following) {
            boolean concerned = changed || session.isStale();
            try {
                if (concerned && session.revokeIfUnwelcome()) {
                    disconnect(session);
                } else if (concerned || again) {
                    offers.offer(session);
                } else {
                    session.unchanged(offers.revision());
                }
            } catch (RuntimeException | Error e) {
                Faults.survived(e);
                LOG.warn("proxy {} could not be served; it is tried again", session.name(), e);
                session.doubt();
            }
        }
    }

    /** Ends the connections, and waits for the round that runs: the database is closed next. */
    @Override
    @PreDestroy
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        progressed();
        sessions.forEach(ProxySession::end);
        try {
            thread.join(PATIENCE.toMillis()); // at once where it was not started
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
