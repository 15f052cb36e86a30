package dev.sallyport.spi;

/** The responses from which a credential is removed. A choice of the configuration. */
public enum RedactResponse {
    /**
     * From the first time that this workload has sent the credential since the proxy started, in every response from
     * destinations where it may be inserted, from hosts of the same registrable domain as one that it was sent to, and from
     * addresses that it was sent to.
     */
    SWAPPED,
    /** In responses to requests that carried it. */
    EXCHANGE,
    /** In every response from destinations where it may be inserted. */
    ALWAYS,
    /** In none. */
    OFF
}
