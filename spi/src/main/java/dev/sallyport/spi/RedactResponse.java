package dev.sallyport.spi;

/** The responses from which a credential is removed. A choice of the configuration. */
public enum RedactResponse {
    /** In every response from an origin to which the credential was sent by this workload since the proxy started. */
    SWAPPED,
    /** In responses to requests that carried it. */
    EXCHANGE,
    /** In every response from destinations where it may be inserted. */
    ALWAYS,
    /** In none. */
    OFF
}
