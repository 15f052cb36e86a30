package dev.sallyport.core.pipeline;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Headers;
import java.nio.ByteBuffer;

/** The empty body shown to a disclosing transform when the body already carries secrets. */
enum WithheldBody implements Body {
    WITHHELD;

    @Override
    public int length() {
        return 0;
    }

    @Override
    public boolean truncated() {
        return true;
    }

    @Override
    public ByteBuffer bytes() {
        return ByteBuffer.allocate(0).asReadOnlyBuffer();
    }

    @Override
    public Headers trailers() {
        return new HeaderBlock(1);
    }
}
