package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/** Receives the output of a decoder or encoder. */
@FunctionalInterface
public interface Output {

    /** Takes some bytes; they are valid during the call only, so the receiver copies what it keeps. */
    void write(ByteBuffer bytes);
}
