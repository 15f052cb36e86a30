package dev.sallyport.toolkit.coding;

import java.nio.ByteBuffer;

/** Where a decoder or encoder writes. */
@FunctionalInterface
public interface Output {

    /** Takes some bytes; they are valid during the call only, so the receiver copies what it keeps. */
    void write(ByteBuffer bytes);
}
