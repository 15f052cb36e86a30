package dev.sallyport.spi;

import java.util.OptionalLong;

/**
 * The head of a response as the transforms after this one left it. Implemented by the engine and the test kit.
 */
public interface ResponseHead {

    /** The status code, 100 to 599; of some origins up to 999. */
    int status();

    /** The reason phrase; empty where the protocol has none. */
    String reason();

    /** The header fields. */
    Headers headers();

    /** The declared length of the body in bytes, 0 for none, empty when not declared. */
    OptionalLong contentLength();

    /** Whether this is an interim response (1xx). */
    default boolean interim() {
        return status() < 200;
    }
}
