package dev.sallyport.server.quickstart;

/**
 * What came back.
 *
 * @param status of the response, or of the refusal of a tunnel; 0 when there was neither
 * @param body empty for a refused tunnel: clients do not show it
 */
record Answer(int status, String body) {}
