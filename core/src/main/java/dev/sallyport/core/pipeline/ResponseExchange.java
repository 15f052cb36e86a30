package dev.sallyport.core.pipeline;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;

/** What every run of a response asks of its exchange. All calls are on the exchange's loop. */
public interface ResponseExchange {

    /** What is known of the exchange. */
    ExchangeFacts facts();

    /** The head of the request as it was forwarded. */
    RequestMessage request();

    /** The head, which the run edits. */
    ResponseMessage head();

    /** Whether the request may be sent once more with a head that this stage has changed. */
    default boolean repeatable(Stage stage) {
        return false;
    }

    /** Whether a transform answered, rather than the upstream. */
    boolean answeredLocally();

    /** The audit record. */
    MutableAuditRecord audit();
}
