package dev.sallyport.core.pipeline;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.spi.Visibility;
import io.netty.channel.EventLoop;

/** The exchange, as the run of its request needs it. All calls on its loop; exactly one verdict is given. */
public interface RequestCallbacks {

    /** The exchange's loop. */
    EventLoop loop();

    /** The exchange's id. */
    String exchangeId();

    /** The client's connection. */
    Connection connection();

    /** The destination. */
    Destination destination();

    /** How much of the traffic can be seen. */
    Visibility visibility();

    /** The head, which the run edits. */
    RequestMessage head();

    /** Takes memory for what edits add to the head, until the exchange ends; returns false when there is none. */
    boolean mayGrow(long bytes);

    /** The body, which the run reads and equips with rewriters. */
    MessageBody body();

    /** The audit record. */
    AuditRecord audit();

    /** A step waits for the body now: a client that waits for 100 (Continue) must be told. */
    void bodyDemanded();

    /**
     * Continues once it is known that the destination, which is reached without TLS, has an address near enough for a
     * credential; gives the verdict itself when it has none. Never continues before this returns.
     *
     * @param stage the stage whose credential it is
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
     * @param error for the audit record alone
     * @param error for the audit record only
     */
    void failed(Stage stage, int status, String code, String detail, String error);
}
