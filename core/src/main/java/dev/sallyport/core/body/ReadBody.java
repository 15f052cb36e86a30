package dev.sallyport.core.body;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.Headers;
import java.nio.ByteBuffer;

/** The result of a read: the first bytes of an array that is never written to. */
final class ReadBody implements Body {

    private final byte[] array;
    private final int length;
    private final boolean truncated;
    private final Headers trailers;

    ReadBody(byte[] array, int length, boolean truncated, Headers trailers) {
        this.array = array;
        this.length = length;
        this.truncated = truncated;
        this.trailers = trailers;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public boolean truncated() {
        return truncated;
    }

    @Override
    public ByteBuffer bytes() {
        return ByteBuffer.wrap(array, 0, length).slice().asReadOnlyBuffer();
    }

    @Override
    public Headers trailers() {
        return trailers;
    }

    @Override
    public String toString() {
        return "Body[" + length + (truncated ? " bytes, truncated]" : " bytes]");
    }
}
