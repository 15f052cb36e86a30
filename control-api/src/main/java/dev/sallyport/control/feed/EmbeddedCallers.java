package dev.sallyport.control.feed;

import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.config.ConfigProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Callers of the proxy in the same process who are judged by the policies of one organization. Thread-safe. */
abstract class EmbeddedCallers implements ProxySession.Receiver {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedCallers.class);

    private final String name;
    private final ProxySession session;
    private final Fanout fanout;
    private final EmbeddedUpdates updates;

    private volatile @Nullable Snapshot latest;
    private volatile List<Proxy.Problem> found = List.of();
    private volatile boolean refused;
    private @Nullable Object known; // of the thread of updates
    private List<ConfigProblem> unbuilt = List.of(); // of the thread of updates
    private volatile boolean gone;

    /**
     * Callers whose session has yet to be connected.
     *
     * @param name as the problems of an update call them
     * @param session what the session is called
     * @param whose whose policies they have; asked until it is known
     */
    EmbeddedCallers(
            String name, String session, Supplier<Optional<Scope>> whose, Fanout fanout, EmbeddedUpdates updates) {
        this.name = name;
        this.session = fanout.session(session, whose, "", this);
        this.fanout = fanout;
        this.updates = updates;
    }

    /**
     * Adds what the proxy is to know of them, and returns it: of what is as it was, the proxy does not say what is wrong.
     *
     * @param now what they are to have; null before it has come
     */
    abstract @Nullable Object addTo(PipelineUpdate.Builder update, @Nullable Snapshot now);

    /** Whose they are, as far as it is known; empty for not. */
    abstract String organization();

    /** As the problems of an update call them. */
    final String key() {
        return name;
    }

    final ProxySession session() {
        return session;
    }

    /** The policies of a snapshot; null before it has come. */
    static @Nullable PipelineSpec policies(@Nullable Snapshot snapshot) {
        return snapshot == null ? null : PipelineSpec.of(snapshot.pipeline().json());
    }

    /** What they are to have; null before it has come. */
    final @Nullable Snapshot latest() {
        return latest;
    }

    /** What of their policies does not work at the proxy. */
    final List<Proxy.Problem> found() {
        return found;
    }

    /** Waits until their policies are in force. Blocks. */
    final boolean awaitPolicies(Duration timeout) {
        return fanout.awaitFirst(session, timeout);
    }

    /** Has the proxy be told nothing more of them. */
    final void go() {
        gone = true;
    }

    final boolean isGone() {
        return gone;
    }

    @Override
    public final void snapshot(ProxySession of, Snapshot snapshot) {
        latest = snapshot;
        updates.offer(this, snapshot);
    }

    /** Whether the proxy could not build what it was told of them the last time, and refuses them everything. */
    final boolean isRefused() {
        return refused;
    }

    /**
     * The proxy goes by what it was told, but for these problems. On the thread of updates.
     *
     * @param told as {@link #addTo} has returned it
     */
    final void applied(@Nullable Object told, @Nullable Snapshot snapshot, List<ConfigProblem> reported) {
        if (!reported.isEmpty() || !Objects.equals(told, known)) {
            unbuilt = List.copyOf(reported);
        }
        known = told;
        refused = !unbuilt.isEmpty();
        Snapshot present = latest;
        Compiled pipeline = present == null ? null : present.pipeline();
        List<Proxy.Problem> all = new ArrayList<>();
        if (pipeline != null) {
            all.addAll(pipeline.told());
        }
        for (ConfigProblem problem : unbuilt) {
            String policy = pipeline == null ? null : pipeline.origin(problem.pointer());
            all.add(new Proxy.Problem(
                    policy, problem.pointer(), problem.message() + " (expected: " + problem.expected() + ")"));
        }
        found = List.copyOf(all);
        reported.forEach(problem -> report(pipeline, problem));
        if (snapshot != null) {
            session.acknowledge(snapshot.revision());
        }
    }

    private void report(@Nullable Compiled pipeline, ConfigProblem problem) {
        String policy = pipeline == null ? null : pipeline.origin(problem.pointer());
        LOG.error(
                "the policies of {} cannot be built, and it is refused everything: {}{}",
                this,
                policy == null ? "" : policy + ": ",
                problem);
    }
}
