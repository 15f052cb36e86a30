package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestHead;
import io.netty.channel.EventLoop;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One built list of transforms. It lives while it is current or a lease on it is held; then its transforms are closed
 * in reverse order, off the loops.
 *
 * <p>Leases are counted for each event loop separately, so that taking one is a plain increment. Matched stages are
 * kept in the loop's cache, which all generations share.
 */
public final class Generation {

    private final int number;
    private final List<Stage> stages;
    private final BlockingStepExecutor blocking;
    private final PipelineSettings settings;
    private final Runnable closer;
    private final IdentityHashMap<EventLoop, PerLoop> loops = new IdentityHashMap<>();
    private final AtomicInteger loopsInUse;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** @param closer closes what the generation owns; called once, on a virtual thread */
    Generation(
            int number,
            List<Stage> stages,
            Map<EventLoop, LoopState> states,
            BlockingStepExecutor blocking,
            PipelineSettings settings,
            Runnable closer) {
        this.number = number;
        this.stages = List.copyOf(stages);
        this.blocking = blocking;
        this.settings = settings;
        this.closer = closer;
        states.forEach((loop, state) -> loops.put(loop, new PerLoop(state)));
        this.loopsInUse = new AtomicInteger(states.size());
    }

    /** The number of this generation; the first is 1, and each reload counts up. */
    public int number() {
        return number;
    }

    /** The names of the transforms, in order. */
    public List<String> names() {
        return stages.stream().map(Stage::name).toList();
    }

    /** Takes a lease; on the loop. */
    public void acquire(EventLoop loop) {
        perLoop(loop).leases++;
    }

    /** Returns a lease; on the loop on which it was taken. */
    public void release(EventLoop loop) {
        PerLoop mine = perLoop(loop);
        mine.leases--;
        mine.closeWhenIdle();
    }

    /** Retires this generation. The returned stage completes once everything it owned is closed. */
    CompletionStage<Void> retire() {
        loops.forEach((loop, mine) -> loop.execute(() -> {
            mine.retired = true;
            mine.closeWhenIdle();
        }));
        return closed;
    }

    private void close() {
        Thread.ofVirtual().name("sallyport-close").start(() -> {
            closer.run();
            closed.complete(null);
        });
    }

    /** A run over the stages that match the exchange's destination; on the loop, under a lease. */
    public RequestRun request(RequestCallbacks host) {
        PerLoop mine = perLoop(host.loop());
        return new RequestRun(mine.plan(host.destination()), host, blocking, settings, mine.mark);
    }

    /** The stages that match a destination; on the loop, under a lease. */
    MatchedStages plan(EventLoop loop, Destination destination) {
        return perLoop(loop).plan(destination);
    }

    /** A run over the response steps that a request has left behind; under the same lease. */
    public ResponseRun response(ResponseSteps steps, ResponseCallbacks host) {
        return new ResponseRun(steps, host, blocking, settings, perLoop(host.loop()).mark);
    }

    /** As {@link #response}, for an interim head, which precedes the final response. */
    public InterimResponseRun interim(ResponseSteps steps, InterimCallbacks host) {
        return new InterimResponseRun(steps, host, blocking, settings, perLoop(host.loop()).mark);
    }

    /**
     * Connection-level policy (docs/spec/decisions.md, section 3): asks the transforms in order whether a tunnel may
     * open.
     *
     * @param loop the loop of the connection
     * @return the refusal with the stage that refused, or null when the tunnel may open
     */
    public @Nullable TunnelRefusal admit(EventLoop loop, TunnelCallbacks host) {
        RunningTransform mark = perLoop(loop).mark;
        for (Stage stage : stages) {
            TunnelRefusal refusal = null;
            try {
                // No pattern switch: it would be linked while the first tunnel waits. What is left is Pass.
                Admission admission = ask(stage, host, mark);
                if (admission instanceof Admission.Admit) {
                    return null;
                }
                if (admission instanceof Admission.Refuse refuse) {
                    String position = refuse.position() == null ? "" : refuse.position();
                    refusal = new TunnelRefusal(stage, 403, refuse.code(), refuse.detail(), position);
                } else if (!(admission instanceof Admission.Pass)) {
                    throw StageException.broken("decided nothing about a tunnel");
                }
            } catch (Throwable failure) {
                TransformFailureLog.log(stage, failure);
                if (!stage.observer()) {
                    StageException fault = StageException.of(failure);
                    refusal = new TunnelRefusal(
                            stage, fault.status(), fault.code(), "A transform could not decide about this tunnel.", "");
                }
            }
            if (refusal != null) {
                host.refused(refusal);
                return refusal;
            }
        }
        return null;
    }

    private static @Nullable Admission ask(Stage stage, TunnelCallbacks host, RunningTransform mark) {
        long asked = System.nanoTime();
        host.asking(stage, asked);
        Stage before = mark.enter(stage);
        try {
            Admission admission = stage.transform().onConnect(host);
            stage.checkInTime(asked, System.nanoTime());
            return admission;
        } finally {
            mark.leave(before);
        }
    }

    /**
     * Whether an encoded slash in this path makes a difference: some rule would give another verdict for the decoded
     * reading than for the literal one (docs/spec/decisions.md, section 1).
     */
    public boolean ambiguous(Destination destination, RequestHead head) {
        for (Stage stage : stages) {
            for (var rules : stage.ruleSets()) {
                if (rules.ambiguous(destination, head.method(), head.path())) {
                    return true;
                }
            }
        }
        return false;
    }

    private PerLoop perLoop(EventLoop loop) {
        PerLoop mine = loops.get(loop);
        if (mine == null) {
            throw new IllegalStateException("not a loop of this proxy");
        }
        return mine;
    }

    /**
     * A tunnel that may not open.
     *
     * @param position which part of the transform's configuration decided; may be empty
     */
    public record TunnelRefusal(Stage stage, int status, String code, String detail, String position) {}

    /** The state of one loop; confined to it. */
    private final class PerLoop {

        private final RunningTransform mark;
        private final MatchedStagesCache plans;
        private long leases;
        private boolean retired;
        private boolean counted;

        PerLoop(LoopState state) {
            this.mark = state.mark();
            this.plans = state.plans();
        }

        MatchedStages plan(Destination destination) {
            MatchedStages plan = plans.find(Generation.this, destination);
            if (plan == null) {
                plan = MatchedStages.of(stages, destination);
                plans.keep(Generation.this, destination, plan);
            }
            return plan;
        }

        void closeWhenIdle() {
            if (retired && leases == 0 && !counted) {
                counted = true;
                plans.drop(Generation.this);
                if (loopsInUse.decrementAndGet() == 0) {
                    close();
                }
            }
        }
    }
}
