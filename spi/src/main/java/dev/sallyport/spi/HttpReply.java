package dev.sallyport.spi;

/** The reply to an {@link HttpCall}. Implemented by the engine and the test kit; immutable. */
public interface HttpReply {

    /** The status code. */
    int status();

    /** The header fields. */
    Headers headers();

    /** A copy of the body, content coding removed. */
    byte[] body();
}
