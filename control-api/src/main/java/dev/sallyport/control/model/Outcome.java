package dev.sallyport.control.model;

/** What a change is to bring about besides what proxies go by. Thread-safe; blocks for the database. */
@FunctionalInterface
public interface Outcome {

    /** Nothing. */
    Outcome NOTHING_ELSE = () -> Standing.REACHED;

    /** How far it is. */
    enum Standing {
        /** It may still come about. */
        OPEN,
        /** It has come about. */
        REACHED,
        /** It has failed, or something else is wanted by now. */
        MISSED
    }

    /** How far it is now. */
    Standing look();
}
