package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Admission;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RequestHead;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A list of transforms, built from one configuration. It lives while it is in force or somebody holds a lease on it;
 * then its transforms are closed in reverse order, off the loops.
 *
 * <p>Leases are counted for each event loop separately, so that taking one is a plain increment. Matched stages are
 * kept in the loop's cache, which all generations share.
 */
public final class Generation {

    private final int number;
    private final List<Stage> stages;
    private final RunServices services;
    private final Runnable closer;
    private final Map<EventLoop, LoopState> loops;
    private final AtomicInteger loopsInUse;
    private final AtomicBoolean retired = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /**
     * @param number unique among all generations of a proxy: positive for callers without a workload, negative for a
     *     workload
     * @param states the state of each loop, which all generations share
     * @param closer closes what the generation owns; called once, on a virtual thread
     */
    Generation(
            int number, List<Stage> stages, Map<EventLoop, LoopState> states, RunServices services, Runnable closer) {
        this.number = number;
        this.stages = List.copyOf(stages);
        this.services = services;
        this.closer = closer;
        this.loops = states;
        this.loopsInUse = new AtomicInteger(states.size());
    }

    /** Its number, unique in the proxy: the first is 1, and each reload counts up; negative for one of a workload. */
    public int number() {
        return number;
    }

    /** Whether it is that of a workload. */
    public boolean isOfWorkload() {
        return number < 0;
    }

    /** The names of the transforms, in order. */
    public List<String> names() {
        return stages.stream().map(Stage::name).toList();
    }

    /** Takes a lease; on the loop. */
    public void acquire(EventLoop loop) {
        onLoop(loop).leases(this).count++;
    }

    /** Returns a lease; on the loop on which it was taken. */
    public void release(EventLoop loop) {
        LoopState mine = onLoop(loop);
        LoopState.Leases leases = mine.leases(this);
        leases.count--;
        if (leases.count == 0 && leases.retired) {
            end(mine);
        }
    }

    /**
     * Retires this generation: it ends on each loop with the last lease there. The returned stage completes once
     * everything it owned is closed. Idempotent.
     */
    CompletionStage<Void> retire() {
        if (retired.compareAndSet(false, true)) {
            loops.forEach((loop, state) -> loop.execute(() -> {
                LoopState.Leases held = state.held(this);
                if (held == null) {
                    end(state);
                } else {
                    held.retired = true;
                }
            }));
        }
        return closed;
    }

    private void end(LoopState on) {
        on.forget(this);
        if (loopsInUse.decrementAndGet() == 0) {
            close();
        }
    }

    private void close() {
        Thread.ofVirtual().name("sallyport-close").start(() -> {
            closer.run();
            closed.complete(null);
        });
    }

    /** A run over the stages that match the exchange's destination; on the loop, under a lease. */
    public RequestRun request(RequestCallbacks host) {
        LoopState mine = onLoop(host.facts().loop());
        return new RequestRun(plan(mine, host.facts().destination()), host, services, mine.mark());
    }

    /** The stages that match a destination; on the loop, under a lease. */
    MatchedStages plan(EventLoop loop, Destination destination) {
        return plan(onLoop(loop), destination);
    }

    /** A run over the response steps that a request has left behind; under the same lease. */
    public ResponseRun response(ResponseSteps steps, ResponseCallbacks host) {
        return new ResponseRun(
                steps,
                host,
                services.blocking(),
                services.settings(),
                onLoop(host.facts().loop()).mark());
    }

    /** As {@link #response}, for an interim head, which precedes the final response. */
    public InterimResponseRun interim(ResponseSteps steps, InterimCallbacks host) {
        return new InterimResponseRun(
                steps,
                host,
                services.blocking(),
                services.settings(),
                onLoop(host.facts().loop()).mark());
    }

    /**
     * Connection-level policy (docs/spec/decisions.md, section 3): asks the transforms in order whether a tunnel may
     * open.
     *
     * @param loop the loop of the connection
     * @return the refusal with the stage that refused, or null when the tunnel may open
     */
    public @Nullable TunnelRefusal admit(EventLoop loop, TunnelCallbacks host) {
        RunningTransform mark = onLoop(loop).mark();
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
     * The place of a rule for which it makes a difference how this path is read, such as {@code
     * /transforms/0/config/rules/1 (allowlist)} (docs/spec/decisions.md, section 1). Null when there is none.
     */
    public @Nullable String ambiguousRule(Destination destination, RequestHead head) {
        for (Stage stage : stages) {
            String place = stage.ambiguousRule(destination, head);
            if (place != null) {
                return place;
            }
        }
        return null;
    }

    /** Whether some rule for this destination decides by the method or path of a request; on the loop. */
    public boolean decidesByTarget(EventLoop loop, Destination destination) {
        return plan(onLoop(loop), destination).decideByTarget();
    }

    /**
     * Whether a request may switch its connection to this protocol, other than WebSocket (docs/spec/decisions.md, section
     * 20): some transform admits by rules, and each that does lists the protocol in one that matches.
     */
    public boolean allowsUpgrade(Destination destination, RequestHead head, String protocol) {
        boolean listed = false;
        for (Stage stage : stages) {
            if (stage.admitsByRules()) {
                if (!stage.allowsUpgrade(destination, head, protocol)) {
                    return false;
                }
                listed = true;
            }
        }
        return listed;
    }

    /** Whether {@link #allowsUpgrade} may hold for some request over TLS to this canonical host. */
    public boolean maySwitch(String host) {
        boolean listed = false;
        for (Stage stage : stages) {
            if (stage.admitsByRules()) {
                if (!stage.maySwitch(host)) {
                    return false;
                }
                listed = true;
            }
        }
        return listed;
    }

    /**
     * Whether TCP in which neither HTTP nor TLS is spoken may be relayed there: some transform that admits by rules says so,
     * each that does agrees, and none has to look at the requests.
     */
    public boolean relays(Destination destination) {
        boolean declared = false;
        for (Stage stage : stages) {
            if (stage.admitsByRules()) {
                if (!stage.relays(destination)) {
                    return false;
                }
                declared = true;
            } else if (stage.looksAtRequests() && stage.reaches(destination)) {
                return false;
            }
        }
        return declared;
    }

    private LoopState onLoop(EventLoop loop) {
        LoopState state = loops.get(loop);
        if (state == null) {
            throw new IllegalStateException("not a loop of this proxy");
        }
        return state;
    }

    private MatchedStages plan(LoopState on, Destination destination) {
        MatchedStages plan = on.plans().find(this, destination);
        if (plan == null) {
            plan = MatchedStages.of(stages, destination);
            on.plans().keep(this, destination, plan);
        }
        return plan;
    }

    /**
     * A tunnel that may not open.
     *
     * @param position which part of the transform's configuration decided; may be empty
     */
    public record TunnelRefusal(Stage stage, int status, String code, String detail, String position) {}
}
