package dev.sallyport.control.audit;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives events to those who follow them, in the order of their arrival, so that a late batch is not skipped. One thread
 * reads for all followers, and asks once a second whether their keys are valid. A batch of this process wakes it; those
 * of others are found within a second. A follower that is slow is waited for: what it has not taken stays in the database.
 * Thread-safe.
 */
@Singleton
public final class EgressTail implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EgressTail.class);

    private static final OpenAnswers.Most MOST = new OpenAnswers.Most(10, 200);
    private static final int PORTION = 100;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Store store;
    private final LiveKeys keys;
    private final OpenAnswers open;
    private final String epoch;
    private final byte[] secret;
    private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-control-tail").unstarted(this::run);

    private volatile boolean woken;
    private volatile boolean closed;
    private long checked = System.nanoTime();

    @Inject
    public EgressTail(Store store, EgressIngest ingest, LiveKeys keys) {
        this(store, ingest, keys, new OpenAnswers("streams", MOST));
    }

    EgressTail(Store store, EgressIngest ingest, LiveKeys keys, OpenAnswers open) {
        this.store = store;
        this.keys = keys;
        this.open = open;
        this.epoch = store.epoch();
        this.secret = store.positionSecret();
        ingest.onArrival(this::wake);
        thread.start();
    }

    /** Takes events; called one at a time. None of it may block for long. */
    public interface Receiver {

        /** How many events it can take now. */
        int room();

        /**
         * Takes an event.
         *
         * @param position where to go on after it
         */
        void event(String position, EgressEvent event);

        /** Takes a sign of life, which needs no room. */
        void alive(String position);

        /** Nothing comes any more; what it has not handed on yet, it drops. */
        void end();
    }

    /** Somebody who follows. */
    public final class Follower {

        private final String organization;
        private final String key;
        private final EgressFilter filter;
        private final Receiver receiver;
        private final OpenAnswers.Place place;
        private final boolean resumed;
        private final HiddenPositions told;
        private long position;
        private long heard = System.nanoTime();
        private volatile boolean over;

        private Follower(
                Caller caller,
                EgressFilter filter,
                HiddenPositions told,
                Start start,
                Receiver receiver,
                OpenAnswers.Place place) {
            this.told = told;
            this.organization = caller.organizationId();
            this.key = String.valueOf(caller.apiKeyId());
            this.filter = filter;
            this.receiver = receiver;
            this.place = place;
            this.resumed = start.resumed();
            this.position = start.position();
        }

        /** Whether it goes on where it said that it had ended, and nothing of what came after that was removed. */
        public boolean isResumed() {
            return resumed;
        }

        /** Where it begins. */
        public String position() {
            return told.hide(position);
        }

        /** Begins; false when it was closed before, or took so long that it has lost its place. */
        public boolean start() {
            if (!place.keep()) {
                return false;
            }
            followers.add(this);
            if (over || closed) {
                close();
                return false;
            }
            wake();
            return true;
        }

        /** Ends, whether it has begun or not. */
        public void close() {
            over = true;
            followers.remove(this);
            place.giveBack();
        }

        /** Gives what there is, and returns whether there may be more. */
        private boolean advance(long top) {
            long now = System.nanoTime();
            int wanted = Math.min(receiver.room(), PORTION);
            List<EgressRow> rows = wanted > 0 && position < top ? read(organization, position, wanted) : List.of();
            for (EgressRow row : rows) {
                position = row.arrival();
                if (filter.matches(row.event())) {
                    heard = now;
                    receiver.event(position(), row.event());
                }
            }
            if (wanted > 0 && rows.size() < wanted) {
                position = Math.max(position, top);
            }
            if (now - heard >= SILENCE_NANOS) {
                heard = now;
                receiver.alive(position());
            }
            return wanted > 0 && rows.size() == wanted;
        }
    }

    /** Where a follower begins. */
    private record Start(long position, boolean resumed) {}

    /**
     * Prepares a follower, which has yet to be started, within ten seconds; 409 when the account has too many, 503 when all
     * together are.
     *
     * @param after the position that it was given last, or null
     */
    public Follower follow(Caller caller, EgressFilter filter, @Nullable String after, Receiver receiver) {
        OpenAnswers.Place place = open.take(caller);
        try {
            HiddenPositions told = new HiddenPositions(secret, epoch, caller.organizationId());
            OptionalLong from = after == null ? OptionalLong.empty() : told.find(after);
            return new Follower(caller, filter, told, start(caller.organizationId(), from), receiver, place);
        } catch (RuntimeException e) {
            place.giveBack();
            throw e;
        }
    }

    /**
     * Positions of before a restore mean nothing any more, nor do those of other accounts. After others, events of the
     * organization may have been removed: then it begins with what is left, and has not resumed.
     */
    private Start start(String organization, OptionalLong after) {
        return store.readAtOneMoment(handle -> {
            long top = top(handle);
            if (after.isEmpty() || after.getAsLong() > top) {
                return new Start(top, false);
            }
            long position = after.getAsLong();
            return new Start(position, position >= EgressIngest.pruned(handle, organization));
        });
    }

    /** Looks for events soon. */
    @WithoutCaller("it shows nothing")
    public void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            if (!woken) {
                LockSupport.parkNanos(this, PERIOD_NANOS);
            }
            woken = false;
            if (!followers.isEmpty()) {
                round();
            }
        }
    }

    private void round() {
        try {
            endRevoked();
            long top = store.read(EgressTail::top);
            followers.forEach(follower -> advance(follower, top));
        } catch (RuntimeException e) {
            LOG.warn("events cannot be read; it is tried again", e);
            LockSupport.parkNanos(this, PERIOD_NANOS);
        }
    }

    /** Ends those whose keys are not valid any more; one query asks for all. */
    private void endRevoked() {
        long now = System.nanoTime();
        if (now - checked < PERIOD_NANOS) {
            return;
        }
        Set<String> used = followers.stream().map(follower -> follower.key).collect(Collectors.toUnmodifiableSet());
        Set<String> live = keys.live(used);
        checked = now;
        for (Follower follower : followers) {
            if (used.contains(follower.key) && !live.contains(follower.key)) {
                end(follower);
            }
        }
    }

    /** What fails with one ends that one, which may go on from its position; the others do not notice. */
    private void advance(Follower follower, long top) {
        try {
            if (follower.advance(top)) {
                woken = true;
            }
        } catch (RuntimeException e) {
            LOG.warn("a stream of events ends early", e);
            end(follower);
        }
    }

    private static void end(Follower follower) {
        follower.close();
        try {
            follower.receiver.end();
        } catch (RuntimeException e) {
            LOG.warn("the end of a stream of events is not told", e);
        }
    }

    private List<EgressRow> read(String organization, long after, int limit) {
        return store.read(handle -> handle.createQuery(
                        "select * from egress_event where organization_id = :organization and arrival > :after order by arrival limit :limit")
                .bind("organization", organization)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) -> EgressRow.of(row))
                .list());
    }

    /** The number of the last event that came. */
    static long top(Handle handle) {
        return handle.createQuery("select value from egress_arrival where id = 1")
                .mapTo(Long.class)
                .one();
    }

    @Override
    @PreDestroy
    @WithoutCaller("part of the end")
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        followers.forEach(EgressTail::end);
    }
}
