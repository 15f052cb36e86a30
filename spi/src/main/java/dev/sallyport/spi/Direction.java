package dev.sallyport.spi;

/** The direction of a message. */
public enum Direction {
    /** From the client to the origin: requests, and the client's WebSocket messages. */
    REQUEST,
    /** From the origin to the client: responses, and the origin's WebSocket messages. */
    RESPONSE
}
