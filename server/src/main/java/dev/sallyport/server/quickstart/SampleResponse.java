package dev.sallyport.server.quickstart;

/**
 * The response to a sample request.
 *
 * @param status the status of the response or of the refused tunnel; 0 when there was neither
 * @param body empty for a refused tunnel, whose body clients do not show
 */
record SampleResponse(int status, String body) {}
