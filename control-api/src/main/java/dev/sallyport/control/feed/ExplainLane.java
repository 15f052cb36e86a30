package dev.sallyport.control.feed;

import dev.sallyport.control.model.Refusal;
import dev.sallyport.core.DryRun;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.toolkit.match.IpRange;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One after the other, pipelines are built to explain requests; the latest stay built, for the next question. Thread-safe;
 * blocks.
 */
final class ExplainLane implements AutoCloseable {

    /** A proxy of which nothing but the pipeline matters. */
    private static final String ABOUT = "{\"dns\":{\"enabled\":false},\"metrics\":{\"listen\":\"disabled\"},"
            + "\"tls\":{\"ca_cert\":\"/dev/null/none\",\"ca_key\":\"/dev/null/none\"},"
            + "\"proxy\":{\"http_listen\":\"disabled\",\"https_listen\":\"disabled\","
            + "\"tunnel_listen\":\"127.0.0.1:0\",\"upstream_deny_cidrs\":[";

    private final Semaphore turn = new Semaphore(1, true);
    private final long patienceMillis;
    private final int most;

    /** By what they were built of, what was asked for last at the end; for whoever has the turn. */
    private final Map<Question, DryRun> built = new LinkedHashMap<>();

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

    /** Of what one is built: a pipeline, by its hash, and the ranges that are denied. */
    private record Question(String hash, List<IpRange> denied) {}

    /**
     * The pipeline, built. For whoever has the turn, and until its end.
     *
     * @param denied ranges that are not dialled
     */
    DryRun built(Compiled pipeline, List<IpRange> denied) throws StartException {
        Question question = new Question(pipeline.hash(), denied);
        DryRun found = built.remove(question);
        if (found == null) {
            while (built.size() >= most) { // before there is one more
                Iterator<DryRun> oldest = built.values().iterator();
                oldest.next().close();
                oldest.remove();
            }
            found = EgressProxy.builder()
                    .configText(
                            "pipeline",
                            ABOUT + texts(denied) + "]}," + pipeline.json().substring(1))
                    .environment(Map.of())
                    .dryRun(false);
        }
        built.put(question, found);
        return found;
    }

    private static String texts(List<IpRange> ranges) {
        return ranges.stream().map(range -> '"' + range.toString() + '"').collect(Collectors.joining(","));
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
