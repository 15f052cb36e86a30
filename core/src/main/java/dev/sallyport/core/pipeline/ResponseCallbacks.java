package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.MessageBody;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.StubResponse;

/**
 * What a {@link ResponseRun} asks of its exchange, and tells it. All calls are on the exchange's loop; exactly one
 * verdict is given.
 */
public interface ResponseCallbacks extends ResponseExchange {

    /** Takes memory for what edits add to the head, until the exchange ends; returns false when there is none. */
    boolean mayGrow(long bytes);

    /** The body, which the run reads and equips with rewriters. */
    MessageBody body();

    /** Replaces head and body; whatever the upstream still sends is dropped. The run continues with the new ones. */
    void replace(StubResponse response);

    /** Verdict: head and body are passed on as they are now. */
    void pass();

    /** Applies a stage's edits to the head of the request, which is to be sent once more. */
    void editRequest(Stage stage, Edits edits);

    /** Verdict: the response is dropped, and the request is sent once more. */
    void repeat();

    /** Verdict: refused by a transform. */
    void refused(Stage stage, ResponseDecision.Refuse refuse);

    /** Verdict: refused by what a transform found in the body. */
    void rejected(Stage stage, Decision.Reject reject);

    /**
     * Verdict: refused because a transform failed, or the body could not be read as it asked.
     *
     * @param detail a sentence for the client
     * @param error for the audit record only
     */
    void failed(Stage stage, int status, String code, String detail, String error);
}
