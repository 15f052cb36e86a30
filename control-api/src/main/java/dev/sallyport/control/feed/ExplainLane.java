package dev.sallyport.control.feed;

import dev.sallyport.control.model.Refusal;
import dev.sallyport.core.DryRun;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * One after the other, pipelines are built to explain requests; the latest stay built, for the next question. Thread-safe;
 * blocks.
 */
final class ExplainLane implements AutoCloseable {

    /** A proxy of which nothing but the pipeline matters. */
    private static final String ABOUT = "{\"dns\":{\"enabled\":false},\"metrics\":{\"listen\":\"disabled\"},"
            + "\"proxy\":{\"http_listen\":\"disabled\",\"https_listen\":\"disabled\","
            + "\"tunnel_listen\":\"127.0.0.1:3128\"},\"tls\":{\"ca_cert\":\"/dev/null/none\",\"ca_key\":\"/dev/null/none\"},";

    private final Semaphore turn = new Semaphore(1, true);
    private final long patienceMillis;
    private final int most;

    /** By the hash of the pipeline, what was asked for last at the end; for whoever has the turn. */
    private final Map<String, DryRun> built = new LinkedHashMap<>();

    /**
     * An empty one.
     *
     * @param patienceMillis how long one waits for its turn
     * @param most how many stay built
     */
    ExplainLane(long patienceMillis, int most) {
        this.patienceMillis = patienceMillis;
        this.most = most;
    }

    /** What is done in a turn. */
    @FunctionalInterface
    interface Work<T> {

        /** Does it. */
        T run() throws InterruptedException;
    }

    /** Does something when it is its turn; refuses with 503 when that takes too long. */
    <T> T inTurn(Work<T> work) throws InterruptedException {
        if (!turn.tryAcquire(patienceMillis, TimeUnit.MILLISECONDS)) {
            throw Refusal.overloaded();
        }
        try {
            return work.run();
        } finally {
            turn.release();
        }
    }

    /** The pipeline, built. For whoever has the turn, and until its end. */
    DryRun built(Compiled pipeline) throws StartException {
        DryRun found = built.remove(pipeline.hash());
        if (found == null) {
            while (built.size() >= most) { // before there is one more
                Iterator<DryRun> oldest = built.values().iterator();
                oldest.next().close();
                oldest.remove();
            }
            found = EgressProxy.builder()
                    .configText("pipeline", ABOUT + pipeline.json().substring(1))
                    .environment(Map.of())
                    .dryRun(false);
        }
        built.put(pipeline.hash(), found);
        return found;
    }

    /** Waits for whoever has the turn. */
    @Override
    public void close() {
        turn.acquireUninterruptibly();
        try {
            built.values().forEach(DryRun::close);
            built.clear();
        } finally {
            turn.release();
        }
    }
}
