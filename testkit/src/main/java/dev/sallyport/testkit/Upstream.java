package dev.sallyport.testkit;

/** The scripted origin: answers each request that the pipeline has let through. Called on the harness' event loop. */
@FunctionalInterface
public interface Upstream {

    /** The answer to a complete request. */
    TestResponse answer(ForwardedRequest request);
}
