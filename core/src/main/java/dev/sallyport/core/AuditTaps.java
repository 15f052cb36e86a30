package dev.sallyport.core;

import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.audit.ChainHead;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Where companions get audit records. Thread-safe. Only the engine implements it, so it may grow.
 *
 * <p>What an earlier process has left unfinished is reported before companions are made, and does not come this way.
 */
public interface AuditTaps {

    /**
     * Adds a sink beside those of the configuration, such as a spool: a line counts as written once every sink has taken
     * it. One that takes nothing is offered the same again, and holds up new exchanges when there are no slots for
     * records any more, as a full disk does. The engine closes it after the last record.
     *
     * @throws IllegalStateException after the companion was made
     */
    void sink(AuditSink sink);

    /**
     * How many exchanges may be under way that have yet to be recorded, {@code log.audit.slots}; those that last long are not
     * counted. Once nothing more begins, so many records may still come.
     *
     * @throws IllegalStateException before the companion is prepared
     */
    int slots();

    /**
     * Lets no exchange begin from now on, for a sink that is nearly full: it keeps room for what has begun already.
     * Requests wait, as they do when there are no slots. A companion that does so should not be ready.
     *
     * @return ends it; has no effect when it is run again
     * @throws IllegalStateException before the companion is prepared
     */
    Runnable hold();

    /**
     * As {@link #hold()}, for the requests of an organization's workloads, wherever they come from, and of callers of no
     * workload who are judged by its policies; those of others go on. A companion that does so can be ready.
     *
     * @param organization as {@link dev.sallyport.core.workload.Callers#ORGANIZATION} has it; not empty
     * @return ends it; has no effect when it is run again
     * @throws IllegalStateException before the companion is prepared
     */
    Runnable hold(String organization);

    /**
     * Adds a listener, which receives every record after it has been written, on the writer's thread, in order. It must
     * not block. An exception is logged and otherwise ignored.
     *
     * @return takes it away again
     */
    Runnable listen(AuditListener listener);

    /**
     * Where the chain of the audit file has got to, for a companion that keeps it elsewhere. Blocks: it is read from the file
     * of checkpoints.
     *
     * @return null without {@code log.audit.chain}, and before the first checkpoint
     * @throws IOException when it cannot be read
     */
    default @Nullable ChainHead head() throws IOException {
        return null;
    }
}
