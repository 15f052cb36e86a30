package dev.sallyport.core.http1;

import dev.sallyport.core.http.HeaderBlock;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;

/**
 * Makes Netty's decoders fill {@link HeaderBlock}s.
 *
 * @param lines how many field lines are expected
 */
public record HeaderBlockFactory(int lines) implements HttpHeadersFactory {

    /** For heads of messages. */
    public static final HeaderBlockFactory HEADS = new HeaderBlockFactory(16);

    /** For trailers, which are mostly absent. */
    public static final HeaderBlockFactory TRAILERS = new HeaderBlockFactory(0);

    @Override
    public HttpHeaders newHeaders() {
        return new HeaderBlock(lines);
    }

    @Override
    public HttpHeaders newEmptyHeaders() {
        return new HeaderBlock(0);
    }
}
