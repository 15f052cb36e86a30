package dev.sallyport.spi;

/** An effect of a transform beyond its edits. */
public enum Effect {
    /** Puts a credential into requests. Needed for sensitive edits. Skipped where credentials are withheld. */
    INJECTS_CREDENTIAL,
    /** Discloses content of the exchange to a third party, such as a log or a model. */
    DISCLOSES_CONTENT,
    /** Removes unknown parts, such as header fields. */
    STRIPS_UNKNOWN,
    /**
     * Answers requests itself. Needed for {@link Decision.Respond} and {@link ResponseDecision.Replace}, and for
     * refusals that are answered with a status below 400.
     */
    ANSWERS_LOCALLY,
    /** Sends requests of its own while it decides. Not run by {@code explain} unless asked. */
    CALLS_OUT,
    /** Signs what it reads: later writes to it break the signature. Skipped where credentials are withheld. */
    SIGNS
}
