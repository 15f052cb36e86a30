package dev.sallyport.ctl.client;

/**
 * A server-sent event.
 *
 * @param id where the stream is after it, for {@code Last-Event-ID}; empty when it says nothing
 * @param name {@code message} when it has none
 */
public record ServerEvent(String id, String name, String data) {}
