package dev.sallyport.core.parent;

import io.netty.buffer.ByteBuf;

/**
 * The handshake with a parent that opens a connection to a destination, as a state machine without I/O. For one
 * connection, on one thread at a time.
 */
public interface ParentHandshake {

    /** No bytes to send. */
    byte[] NOTHING = {};

    /** The first bytes to send. */
    byte[] begin();

    /**
     * Reads what the parent has sent. Incomplete messages and the bytes after the handshake stay in the buffer.
     *
     * @return the bytes to send next; may be empty
     * @throws ParentException when the parent does not open the connection
     */
    byte[] receive(ByteBuf in) throws ParentException;

    /** Whether the connection now leads to the destination. */
    boolean isDone();
}
