package dev.sallyport.toolkit.token;

/** In which responses a minted token is turned into the placeholder. A choice of the configuration. */
public enum RedactToken {
    /** In those to requests that got it. */
    SWAPPED,
    /** In none. */
    OFF
}
