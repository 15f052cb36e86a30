package dev.sallyport.core.body;

/** Lets the sender send more. Called on the event loop. */
@FunctionalInterface
public interface Credit {

    /** Grants credit for this many bytes of input, which have left the body or may be replaced by more. */
    void consumed(int bytes);
}
