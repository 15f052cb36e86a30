package dev.sallyport.spi;

/** How much of a request is visible. */
public enum Visibility {
    /** Method, path, headers and body. */
    FULL,
    /** Only the host: the connection is passed through with TLS intact. */
    HOST_ONLY
}
