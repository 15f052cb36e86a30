package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Decision;

/** What came of reading a part of a request: something to work with, or a refusal. */
sealed interface Reading permits Inbound, Payload, Reading.Refused {

    /** The request cannot be signed again. */
    record Refused(Decision decision) implements Reading, Payload {}
}
