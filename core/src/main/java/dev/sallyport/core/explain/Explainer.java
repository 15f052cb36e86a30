package dev.sallyport.core.explain;

import dev.sallyport.core.config.RulePlaces;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.Pipeline;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Explains requests by one generation that is its own: nothing that it does shows in the traffic, in records, in meters,
 * or in what transforms remember. One request at a time; others wait. Thread-safe, but not to be called on a loop.
 */
public final class Explainer implements AutoCloseable {

    private final Pipeline pipeline = new Pipeline();
    private final List<TransformEntry<?>> entries;
    private final TrialMaker maker;
    private final TrialServices services;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final Map<Integer, RulePlaces> places = new HashMap<>();

    /** The latest explanation, which may have been given. */
    private volatile CompletableFuture<Explanation> running = new CompletableFuture<>();

    private volatile boolean closed;

    /**
     * @param generation made by {@code maker} from these entries; this closes it
     * @param services on the loop of the maker
     */
    public Explainer(Generation generation, List<TransformEntry<?>> entries, TrialMaker maker, TrialServices services) {
        this.entries = List.copyOf(entries);
        this.maker = maker;
        this.services = services;
        pipeline.swap(generation);
    }

    /**
     * Explains a request; null when this is closed. Blocks: for as long as transforms and whom they ask take, each within
     * its own limit.
     *
     * @param caller whose request it is
     */
    public @Nullable Explanation explain(ExplainRequest request, ExplainedCaller caller) throws InterruptedException {
        turn.lockInterruptibly();
        try {
            return judge(request, caller);
        } finally {
            turn.unlock();
        }
    }

    private @Nullable Explanation judge(ExplainRequest request, ExplainedCaller caller) throws InterruptedException {
        Generation generation = pipeline.current();
        if (closed || generation == null) {
            return null;
        }
        CompletableFuture<Explanation> result = new CompletableFuture<>();
        ExplanationRun session =
                new ExplanationRun(services, generation, entries, this::places, request, caller, result);
        running = result;
        services.loop().execute(() -> session.run(maker));
        try {
            return result.get();
        } catch (InterruptedException e) {
            abandon(result);
            throw e;
        } catch (CancellationException e) {
            return null;
        } catch (ExecutionException e) {
            throw new IllegalStateException("the request could not be explained", e.getCause());
        }
    }

    private void abandon(CompletableFuture<Explanation> explanation) {
        services.loop().execute(() -> explanation.cancel(false));
    }

    /** On the loop. */
    private RulePlaces places(int position) {
        return places.computeIfAbsent(
                position, key -> RulePlaces.in(entries.get(key).config()));
    }

    /** Gives up the request that is being explained, and closes the transforms. Blocks until that is done; not on a loop. */
    @Override
    public void close() {
        closed = true;
        abandon(running);
        turn.lock();
        try {
            pipeline.close();
        } finally {
            turn.unlock();
        }
    }
}
