package dev.sallyport.testkit;

/**
 * Whether a tunnel may open.
 *
 * @param open whether it opens
 * @param status what the client got instead; 0 when it opens
 * @param code the code of the problem document that the client got; empty when it opens
 * @param body what the client got
 */
public record TunnelResult(boolean open, int status, String code, String body) {}
