package dev.sallyport.server.management;

/** One method of one resource of the management API. Thread-safe. */
public interface Route {

    /** The method; a route for {@code GET} answers {@code HEAD} too. */
    String method();

    /** The path, compared exactly. */
    String path();

    /** Whether it is answered without the key. */
    default boolean isOpen() {
        return false;
    }

    /** The most bytes of a request's body; beyond, 413. */
    default int maxBodyBytes() {
        return 16 * 1024;
    }

    /**
     * Answers a request. Called on a virtual thread of its own; may block.
     *
     * @throws ApiException for an error response; any other exception is logged, and answered with 500
     */
    ApiResponse answer(ApiRequest request) throws ApiException;
}
