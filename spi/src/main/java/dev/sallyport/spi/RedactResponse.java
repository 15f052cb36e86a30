package dev.sallyport.spi;

/** In which responses a credential is taken out. A choice of the configuration. */
public enum RedactResponse {
    /** In every response from an origin to which the credential was sent by this workload since the proxy started. */
    SWAPPED,
    /** In responses to requests that carried it. */
    EXCHANGE,
    /** In every response at destinations where it may be put in. */
    ALWAYS,
    /** In none. */
    OFF
}
