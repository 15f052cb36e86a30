package dev.sallyport.core.body;

/**
 * The most bytes of one message's content that may be buffered; {@link Long#MAX_VALUE} for no limit.
 *
 * @param request of requests, and of WebSocket messages to the origin
 * @param response of responses, and of WebSocket messages to the client
 */
public record BodyCaps(long request, long response) {}
