package dev.sallyport.core.pipeline;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.StubResponse;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link RequestRun} asks of its exchange, and tells it. All calls are on the exchange's loop; exactly one
 * verdict is given.
 */
public interface RequestCallbacks {

    /** What is known of the exchange. */
    ExchangeFacts facts();

    /** The head, which the run edits. */
    RequestMessage head();

    /** Takes memory for what edits add to the head, until the exchange ends; returns false when there is none. */
    boolean mayGrow(long bytes);

    /** The body, which the run reads and equips with rewriters. */
    MessageBody body();

    /** The audit record. */
    MutableAuditRecord audit();

    /** Watches the run, or null where nobody does; asked once. */
    default @Nullable RunWatch watch() {
        return null;
    }

    /** A step waits for the body now, and may read it: a client that waits for 100 (Continue) must be told. */
    void bodyDemanded();

    /**
     * Checks that the destination, which is reached without TLS, has an address near enough for a credential, then runs
     * {@code next}; gives the verdict itself if there is no such address. Never runs it before this returns.
     *
     * @param stage the stage whose credential it is
     *
     */
    void requireNear(Stage stage, Runnable next);

    /** Verdict: every transform has continued; head and body are forwarded as they are now. */
    void forward();

    /** Verdict: refused by a transform. */
    void rejected(Stage stage, Decision.Reject reject);

    /** Verdict: answered by a transform. */
    void responded(Stage stage, StubResponse response);

    /**
     * Verdict: refused because a transform failed, or the body could not be read as it asked.
     *
     * @param error for the audit record only
     */
    void failed(Stage stage, int status, String code, String detail, String error);
}
