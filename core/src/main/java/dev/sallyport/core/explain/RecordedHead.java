package dev.sallyport.core.explain;

import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestHead;
import java.util.OptionalLong;

/**
 * The head of a recorded request: what the record tells, and a note when somebody looks at the rest.
 *
 * @param looked runs when headers or the length of the body are asked for
 */
record RecordedHead(RequestHead of, Runnable looked) implements RequestHead {

    @Override
    public String method() {
        return of.method();
    }

    @Override
    public String path() {
        return of.path();
    }

    @Override
    public String decodedPath() {
        return of.decodedPath();
    }

    @Override
    public String query() {
        return of.query();
    }

    @Override
    public String target() {
        return of.target();
    }

    @Override
    public Headers headers() {
        looked.run();
        return of.headers();
    }

    @Override
    public OptionalLong contentLength() {
        looked.run();
        return of.contentLength();
    }
}
