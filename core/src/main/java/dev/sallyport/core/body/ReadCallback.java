package dev.sallyport.core.body;

import dev.sallyport.spi.Body;

/** The answer to {@link MessageBody#read}: one of the two, once, on the event loop, possibly inside the call. */
public interface ReadCallback {

    /** What was asked for. On the heap, and valid as long as somebody holds it. */
    void ready(Body body);

    /** It cannot be had. */
    void failed(BodyFailure failure);
}
