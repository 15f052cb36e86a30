package dev.sallyport.feed;

import java.io.IOException;

/** There is no room for an event until others have been delivered. */
final class SpoolFullException extends IOException {

    private static final long serialVersionUID = 1L;

    SpoolFullException(long capacity) {
        super("the spool of events is full (expected: room in " + capacity + " bytes, which deliveries make)");
    }
}
