package dev.sallyport.control.agent;

import dev.sallyport.control.audit.LiveKeys;
import dev.sallyport.control.audit.OpenAnswers;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
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
 * Gives what agents say to those who follow them. One thread reads for all followers, and asks once a second whether their
 * keys are valid. A follower that is slow is waited for: what it has not taken stays in the database, as long as newer text
 * leaves room for it. Thread-safe.
 */
@Singleton
public final class AgentLogs implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AgentLogs.class);

    private static final OpenAnswers.Most MOST = new OpenAnswers.Most(20, 200);
    private static final int PORTION = 20;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final Store store;
    private final LiveKeys keys;
    private final OpenAnswers open = new OpenAnswers("logs", MOST);
    private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-control-logs").unstarted(this::run);

    private volatile boolean woken;
    private volatile boolean closed;
    private long checked = System.nanoTime();

    @Inject
    AgentLogs(Store store, LiveKeys keys) {
        this.store = store;
        this.keys = keys;
        thread.start();
    }

    /** A part of a log. */
    public record Part(long seq, Instant at, String text) {}

    /** Takes parts; called one at a time. None of it may block for long. */
    public interface Receiver {

        /** How many parts it can take now. */
        int room();

        /** Takes a part. */
        void part(Part part);

        /** Takes a sign of life, which needs no room. */
        void alive();

        /**
         * Nothing comes any more, after what it was given.
         *
         * @param status that of the agent, which says nothing more; null when the log goes on elsewhere, or later
         */
        void end(@Nullable AgentStatus status);
    }

    /** Somebody who follows. */
    public final class Follower {

        private final String agent;
        private final String key;
        private final boolean follow;
        private final Receiver receiver;
        private final OpenAnswers.Place place;
        private final boolean resumed;
        private long position;
        private long heard = System.nanoTime();
        private volatile boolean over;

        private Follower(
                Caller caller, String agent, boolean follow, Start start, Receiver receiver, OpenAnswers.Place place) {
            this.agent = agent;
            this.key = String.valueOf(caller.apiKeyId());
            this.follow = follow;
            this.receiver = receiver;
            this.place = place;
            this.resumed = start.resumed();
            this.position = start.position();
        }

        /** Whether it goes on where it said that it had ended, and nothing of what came after that was dropped. */
        public boolean isResumed() {
            return resumed;
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
        private boolean advance() {
            long now = System.nanoTime();
            int wanted = Math.min(receiver.room(), PORTION);
            if (wanted == 0) {
                return false;
            }
            Seen seen = look(agent, position, wanted);
            for (Part part : seen.parts()) {
                position = part.seq();
                heard = now;
                receiver.part(part);
            }
            if (seen.parts().size() == wanted) {
                return true;
            }
            if (seen.status() == null || seen.complete() || !follow) {
                close();
                receiver.end(seen.complete() ? seen.status() : null);
            } else if (now - heard >= SILENCE_NANOS) {
                heard = now;
                receiver.alive();
            }
            return false;
        }
    }

    /** Where a follower begins. */
    private record Start(long position, boolean resumed) {}

    /**
     * What there is at one moment.
     *
     * @param status null when the agent is gone
     * @param complete whether it says nothing more
     */
    private record Seen(List<Part> parts, @Nullable AgentStatus status, boolean complete) {}

    /**
     * Prepares a follower, which has yet to be started, within ten seconds: 404 when the account has no such agent, 409 when
     * it has too many followers, 503 when all together have.
     *
     * @param after the number of the part that it was given last, or null
     * @param follow whether it waits for what is said later
     */
    public Follower follow(Caller caller, String agent, @Nullable String after, boolean follow, Receiver receiver) {
        Start start = store.readAtOneMoment(handle -> {
            Agents.require(handle, caller, agent, "");
            return start(handle, agent, after);
        });
        return new Follower(caller, agent, follow, start, receiver, open.take(caller));
    }

    private static Start start(Handle handle, String agent, @Nullable String after) {
        if (after == null || !after.matches("[0-9]{1,18}")) {
            return new Start(0, after == null);
        }
        long position = Long.parseLong(after);
        long newest = number(handle, agent, "coalesce(max(seq), 0)");
        long oldest = number(handle, agent, "coalesce(min(seq), 1)");
        return position > newest ? new Start(0, false) : new Start(position, position + 1 >= oldest);
    }

    private static long number(Handle handle, String agent, String what) {
        return handle.createQuery("select " + what + " from agent_log where agent_id = :id")
                .bind("id", agent)
                .mapTo(Long.class)
                .one();
    }

    private Seen look(String agent, long after, int most) {
        return store.readAtOneMoment(handle -> {
            List<Part> parts = handle.createQuery(
                            "select seq, logged_at, text from agent_log where agent_id = :id and seq > :after order by seq limit :most")
                    .bind("id", agent)
                    .bind("after", after)
                    .bind("most", most)
                    .map((row, context) -> new Part(
                            row.getLong("seq"), Instant.ofEpochMilli(row.getLong("logged_at")), row.getString("text")))
                    .list();
            AgentRow row = AgentRow.find(handle, agent, "").orElse(null);
            return row == null
                    ? new Seen(List.of(), null, false)
                    : new Seen(parts, row.status(), row.progress().stage() == AgentStage.DONE);
        });
    }

    /** Looks for parts soon. */
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
        } catch (RuntimeException e) {
            LOG.warn("keys of followers cannot be looked at; it is tried again", e);
        }
        followers.forEach(this::advance);
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
    private void advance(Follower follower) {
        try {
            if (follower.advance()) {
                woken = true;
            }
        } catch (RuntimeException e) {
            LOG.warn("a log of an agent ends early", e);
            end(follower);
        }
    }

    private static void end(Follower follower) {
        follower.close();
        try {
            follower.receiver.end(null);
        } catch (RuntimeException e) {
            LOG.warn("the end of a log is not told", e);
        }
    }

    @Override
    @PreDestroy
    @WithoutCaller("part of the end")
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        followers.forEach(AgentLogs::end);
    }
}
