package dev.sallyport.feed;

import dev.sallyport.core.AuditTaps;
import dev.sallyport.core.audit.ChainHead;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the control plane where the chain of audit records has got to, so that an end that is cut off here is seen there. On
 * a thread of its own, every few seconds while there are new records; nothing waits for it.
 */
final class HeadReporter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HeadReporter.class);
    private static final Duration PERIOD = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final int NO_CONTENT = 204;
    private static final String CONFLICT = "audit_head_conflict";

    private final AuditTaps audit;
    private final ControlPlaneConnection connection;
    private final Duration period;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-feed-heads").unstarted(this::run);
    private @Nullable ChainHead told;
    private String complaint = "";

    HeadReporter(AuditTaps audit, ControlPlaneConnection connection) {
        this(audit, connection, PERIOD);
    }

    HeadReporter(AuditTaps audit, ControlPlaneConnection connection, Duration period) {
        this.audit = audit;
        this.connection = connection;
        this.period = period;
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                tell();
                Thread.sleep(period);
            }
        } catch (InterruptedException e) {
            LOG.debug("it ends");
        }
    }

    private void tell() throws InterruptedException {
        try {
            ChainHead head = audit.head();
            if (head == null || (told != null && told.isOfTheSameRecords(head))) {
                return;
            }
            ControlPlaneConnection.Receipt receipt = connection.tell(head);
            if (receipt.status() == NO_CONTENT) {
                told = head;
                complaint = "";
            } else if (receipt.code().equals(CONFLICT)) {
                told = head; // it stays one, as does all that follows
                if (!complaint.equals(CONFLICT)) {
                    LOG.error(
                            "the control plane has another head of the audit log and cosigns it no more: the log was cut off or rewritten");
                }
                complaint = CONFLICT;
            } else {
                complain(receipt.status() + " " + receipt.code());
            }
        } catch (IOException | RuntimeException e) {
            complain(String.valueOf(e.getMessage()));
        }
    }

    /** Each reason once, until it goes well again. */
    private void complain(String why) {
        if (!why.equals(complaint)) {
            LOG.warn("the control plane does not keep the head of the audit log; it is told again: {}", why);
        }
        complaint = why;
    }

    /** Ends. Blocks for a second at most. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            if (thread.getState() != Thread.State.NEW) {
                thread.join(PATIENCE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
