package dev.sallyport.spi;

/** Edits trailer fields (RFC 9110, 6.5) once the body has ended. Called on the event loop: must not block. */
@FunctionalInterface
public interface TrailerEditor {

    /** Returns header edits, applied to the trailer fields; other edits are refused. */
    Edits edit(Headers trailers);
}
