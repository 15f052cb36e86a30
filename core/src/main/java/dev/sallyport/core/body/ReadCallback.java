package dev.sallyport.core.body;

import dev.sallyport.spi.Body;

/** Receives the result of {@link MessageBody#read}: one call, once, on the event loop, possibly during the read. */
public interface ReadCallback {

    /** The requested bytes, on the heap and valid as long as they are referenced. */
    void ready(Body body);

    /** The read failed. */
    void failed(BodyFailure failure);
}
