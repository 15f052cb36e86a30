package dev.sallyport.core.body;

import dev.sallyport.core.http.HeaderBlock;

/** Edits the trailer fields in place, once, after the body has ended. An exception fails the message. */
@FunctionalInterface
public interface TrailerStep {

    /** Edits the fields. */
    void edit(HeaderBlock trailers);
}
