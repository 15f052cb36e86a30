package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.pipeline.ExchangeFacts;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.InterimCallbacks;
import dev.sallyport.core.pipeline.InterimResponseRun;
import dev.sallyport.core.pipeline.ResponseSteps;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The interim heads of one exchange on their way through the response steps: one after the other, and the final head
 * behind them. The stream limits how many the origin may send; a client that does not read gets none (RFC 9110, 15.2):
 * they would only pile up.
 */
final class InterimResponses implements InterimCallbacks {

    private final Exchange exchange;
    private final Generation generation;
    private final ClientStream downstream;
    private final Queue<ResponseMessage> waiting = new ArrayDeque<>(2);

    /** The head that is being judged. */
    private @Nullable ResponseMessage head;

    private @Nullable InterimResponseRun run;
    private @Nullable Runnable next;
    private boolean looping;

    InterimResponses(Exchange exchange, Generation generation, ClientStream downstream) {
        this.exchange = exchange;
        this.generation = generation;
        this.downstream = downstream;
    }

    /** Whether a head is still being processed. */
    boolean underWay() {
        return head != null;
    }

    /** Sends a head once the steps have let it pass, and all before it. */
    void add(ResponseMessage interim, ResponseSteps steps) {
        if (downstream.isWritable()) {
            waiting.add(interim);
            proceed(steps);
        }
    }

    /** Runs this when no head is being processed any more. */
    void afterwards(Runnable task) {
        next = task;
    }

    /** Drops the waiting heads and what follows them. Idempotent. */
    void cancel() {
        waiting.clear();
        next = null;
        InterimResponseRun present = run;
        if (present != null) {
            present.cancel();
        }
    }

    /** A verdict that comes at once only clears the head: no step deeper on the stack for each of them. */
    private void proceed(ResponseSteps steps) {
        if (looping) {
            return;
        }
        looping = true;
        while (head == null && !waiting.isEmpty()) {
            head = waiting.remove();
            InterimResponseRun started = generation.interim(steps, this);
            run = started;
            started.start();
        }
        looping = false;
        Runnable task = next;
        if (head == null && task != null) {
            next = null;
            task.run();
        }
    }

    // What the run asks for, and its verdicts.

    @Override
    public void pass() {
        if (downstream.isWritable()) {
            downstream.interim(head());
        }
        drop();
    }

    @Override
    public void drop() {
        head = null;
        proceed(exchange.responseSteps());
    }

    @Override
    public ExchangeFacts facts() {
        return exchange.facts();
    }

    @Override
    public RequestMessage request() {
        return exchange.head();
    }

    @Override
    public ResponseMessage head() {
        return Objects.requireNonNull(head, "an interim head");
    }

    @Override
    public boolean answeredLocally() {
        return false;
    }

    @Override
    public MutableAuditRecord audit() {
        return exchange.audit();
    }
}
