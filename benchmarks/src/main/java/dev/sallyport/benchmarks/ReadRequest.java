package dev.sallyport.benchmarks;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestHead;
import dev.sallyport.spi.Trace;
import dev.sallyport.spi.Visibility;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A request whose body has been read. */
record ReadRequest(RequestContext of, byte[] content) implements RequestContext, Body {

    @Override
    public String exchangeId() {
        return of.exchangeId();
    }

    @Override
    public Connection connection() {
        return of.connection();
    }

    @Override
    public Destination destination() {
        return of.destination();
    }

    @Override
    public Visibility visibility() {
        return of.visibility();
    }

    @Override
    public RequestHead head() {
        return of.head();
    }

    @Override
    public Body body() {
        return this;
    }

    @Override
    public Trace trace() {
        return of.trace();
    }

    @Override
    public Duration remaining() {
        return of.remaining();
    }

    @Override
    public int length() {
        return content.length;
    }

    @Override
    public boolean truncated() {
        return false;
    }

    @Override
    public Headers trailers() {
        return new HeaderBlock(1);
    }

    @Override
    public ByteBuffer bytes() {
        return ByteBuffer.wrap(content).asReadOnlyBuffer();
    }
}
