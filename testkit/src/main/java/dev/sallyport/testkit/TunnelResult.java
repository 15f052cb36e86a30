package dev.sallyport.testkit;

/**
 * The outcome of a tunnel request.
 *
 * @param open whether the tunnel opens
 * @param status the client's status otherwise; 0 when it opens
 * @param code the code of the client's problem document; empty when it opens
 * @param body the body that the client got
 */
public record TunnelResult(boolean open, int status, String code, String body) {}
