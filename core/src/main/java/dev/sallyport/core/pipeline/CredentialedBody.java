package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.Headers;
import java.nio.ByteBuffer;

/** A body that reports the credentials that earlier transforms have put into it. */
record CredentialedBody(Body of) implements Body {

    @Override
    public int length() {
        return of.length();
    }

    @Override
    public boolean truncated() {
        return of.truncated();
    }

    @Override
    public boolean carriesCredentials() {
        return true;
    }

    @Override
    public Headers trailers() {
        return of.trailers();
    }

    @Override
    public ByteBuffer bytes() {
        return of.bytes();
    }
}
