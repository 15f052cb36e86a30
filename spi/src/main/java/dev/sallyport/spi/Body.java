package dev.sallyport.spi;

import java.nio.ByteBuffer;
import java.nio.charset.Charset;

/**
 * The bytes that a {@link Buffered} read brought. Implemented by the engine and the test kit. Valid during an inline
 * call, or until the stage of an asynchronous step completes.
 */
public interface Body {

    /** How many bytes are there. */
    int length();

    /** Whether the message is longer than what is here. */
    boolean truncated();

    /** A read-only view of the bytes; each call returns one of its own position. */
    ByteBuffer bytes();

    /**
     * Whether earlier transforms have inserted credentials: a quotation of the body, to the client or in an audit
     * record, could reveal them.
     */
    default boolean carriesCredentials() {
        return false;
    }

    /** The trailer fields, empty unless the whole message has been read. */
    Headers trailers();

    /** A copy of the bytes. */
    default byte[] copy() {
        byte[] copy = new byte[length()];
        bytes().get(copy);
        return copy;
    }

    /** The bytes decoded; malformed input is replaced. */
    default String text(Charset charset) {
        return charset.decode(bytes()).toString();
    }
}
