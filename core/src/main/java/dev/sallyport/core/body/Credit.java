package dev.sallyport.core.body;

/** Lets the sender send more. Called on the event loop. */
@FunctionalInterface
public interface Credit {

    /** So many bytes of input have left the body, or are known to be welcome. */
    void consumed(int bytes);
}
