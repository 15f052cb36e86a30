package dev.sallyport.core.pipeline;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.spi.Destination;
import io.netty.channel.EventLoop;

/** The facts of an exchange that a response run needs. All calls on its loop. */
public interface ResponseExchange {

    /** The exchange's loop. */
    EventLoop loop();

    /** The exchange's id. */
    String exchangeId();

    /** The destination. */
    Destination destination();

    /** The head of the request as it was forwarded. */
    RequestMessage request();

    /** The head, which the run edits. */
    ResponseMessage head();

    /** Whether a transform answered, rather than the upstream. */
    boolean answeredLocally();

    /** The audit record. */
    AuditRecord audit();
}
