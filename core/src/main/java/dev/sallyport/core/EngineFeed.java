package dev.sallyport.core;

import dev.sallyport.core.exchange.Rechecks;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.workload.WorkloadTable;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Applies updates one after the other, on a thread of its own, at a {@linkplain FeedPace pace}. Thread-safe. */
final class EngineFeed implements PipelineFeed, AutoCloseable {

    private final PolicyInForce policy;
    private final ReentrantLock changing;
    private final Pipeline pipeline;
    private final FeedSecrets secrets;
    private final Rechecks rechecks;
    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private final ExecutorService thread = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            waiting,
            Thread.ofPlatform().daemon().name("sallyport-feed").factory());

    /** Of {@link #thread}, as is {@link #replaced}. */
    private final FeedRests rests = new FeedRests();

    /** Whose policies the last update has replaced. */
    private Set<String> replaced = Set.of();

    /** Counted down at the end. */
    private final CountDownLatch closed = new CountDownLatch(1);

    /** @param changing held while the policy is changed */
    EngineFeed(
            PolicyInForce policy, ReentrantLock changing, Pipeline pipeline, FeedSecrets secrets, Rechecks rechecks) {
        this.policy = policy;
        this.changing = changing;
        this.pipeline = pipeline;
        this.secrets = secrets;
        this.rechecks = rechecks;
    }

    @Override
    public CompletionStage<Applied> apply(PipelineUpdate update) {
        try {
            return CompletableFuture.supplyAsync(() -> paced(update), thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException("the proxy has ended (expected: a running one)", e));
        }
    }

    /** What is new is not held back, because somebody waits for it, and neither is an update behind others. */
    private Applied paced(PipelineUpdate update) {
        rest(rests.before(update, System.nanoTime()));
        long began = System.nanoTime();
        replaced = Set.of();
        Applied applied;
        try {
            applied = applied(update);
        } finally {
            rests.after(replaced, began, System.nanoTime(), !waiting.isEmpty());
        }
        return replaced.isEmpty() ? applied : applied.before(Duration.ofNanos(rests.left(System.nanoTime())));
    }

    private void rest(long nanos) {
        try {
            closed.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Applied applied(PipelineUpdate update) {
        changing.lock();
        try {
            if (closed.getCount() == 0) {
                throw new IllegalStateException("the proxy has ended (expected: a running one)");
            }
            Boolean ready = update.ready();
            if (ready != null && !ready) {
                pipeline.withhold(true);
            }
            PolicyInForce.Outcome outcome;
            try {
                secrets.takeNew(update);
                outcome = policy.apply(update);
                replaced = outcome.replaced();
            } catch (RuntimeException | Error e) {
                try {
                    secrets.takeDeletions(update); // they end in any case
                } catch (RuntimeException | Error another) {
                    e.addSuppressed(another);
                }
                rechecks.begin(Rechecks.EVERYBODY, true); // how much of it is in force is not known
                throw e;
            }
            boolean deleted;
            try {
                deleted = secrets.takeRest(update);
            } catch (RuntimeException | Error e) {
                recheck(
                        outcome,
                        true); // its policies are in force, and to those that come again it has changed nothing
                throw e;
            }
            if (ready != null && ready) {
                pipeline.withhold(false);
            }
            recheck(outcome, deleted);
            return outcome.applied();
        } finally {
            changing.unlock();
        }
    }

    /** @param deleted whether secrets were deleted */
    private void recheck(PolicyInForce.Outcome outcome, boolean deleted) {
        Set<String> names = outcome.workloads();
        if (outcome.everybody()) {
            WorkloadTable<Generation> table = pipeline.workloads();
            rechecks.begin(
                    caller -> names.contains(caller.workload()) || table.get(caller.workload()) == null,
                    outcome.selection());
        } else if (!names.isEmpty()) {
            rechecks.begin(caller -> names.contains(caller.workload()), outcome.selection());
        } else if (deleted) {
            rechecks.begin(Rechecks.NOBODY);
        }
    }

    /** Takes no more updates; one that is being applied is not waited for. */
    @Override
    public void close() {
        closed.countDown();
        thread.shutdown();
    }
}
