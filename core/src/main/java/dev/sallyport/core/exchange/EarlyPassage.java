package dev.sallyport.core.exchange;

/**
 * A connection whose origin is reached before its client has said what is spoken: in some protocols the server speaks
 * first. Its client is told nothing until it is settled what is spoken, and its record is written at the latest with its end.
 * All calls on the exchange's loop.
 */
public interface EarlyPassage extends RelayListener {

    /**
     * Neither HTTP nor TLS is spoken: from now on it is passed through like others. A refusal that has come meanwhile is told
     * now.
     */
    void commit();

    /** HTTP or TLS is spoken, which is judged by itself: no record is written of what was begun early. Idempotent. */
    void revoke();

    /** Nobody has said anything in time. The record is written; what was refused meanwhile is what it tells. */
    void expired(Refusal why);
}
