package dev.sallyport.spi;

/** Which way a message goes. */
public enum Direction {
    /** From the client to the origin: requests, and what the client says on a WebSocket. */
    REQUEST,
    /** From the origin to the client: responses, and what the origin says on a WebSocket. */
    RESPONSE
}
