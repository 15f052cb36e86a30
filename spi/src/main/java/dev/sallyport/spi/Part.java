package dev.sallyport.spi;

/** A part of a message that a transform can declare to read or write. */
public enum Part {
    /** Request header fields. */
    REQUEST_HEADERS,
    /** The method. */
    METHOD,
    /** The path. */
    PATH,
    /** The query. */
    QUERY,
    /** The request's content. */
    REQUEST_BODY,
    /** The request's trailer fields. */
    REQUEST_TRAILERS,
    /** Status code and reason phrase. */
    STATUS,
    /** Response header fields. */
    RESPONSE_HEADERS,
    /** The response's content. */
    RESPONSE_BODY,
    /** The response's trailer fields. */
    RESPONSE_TRAILERS,
    /** WebSocket text messages, in both directions. */
    MESSAGES
}
