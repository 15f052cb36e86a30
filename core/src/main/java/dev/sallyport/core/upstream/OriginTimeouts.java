package dev.sallyport.core.upstream;

import java.time.Duration;

/**
 * How long an origin may keep an exchange waiting.
 *
 * @param head for the final head, from the last byte of the request; interim heads do not restart it
 * @param body for any progress with a request body that it has been sent, until the final head
 */
public record OriginTimeouts(Duration head, Duration body) {}
