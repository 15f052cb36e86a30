package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Decision;

/** The result of reading how a request is signed. */
sealed interface Reading permits Inbound, Reading.Refused {

    /** It cannot be signed again. */
    record Refused(Decision decision) implements Reading {}
}
