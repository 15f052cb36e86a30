package dev.sallyport.core.upstream;

import java.time.Duration;

/**
 * How long an origin may keep an exchange waiting.
 *
 * @param head the limit on the wait for the final head, from the last byte of the request; interim heads do not
 *     restart it
 * @param body the limit on the wait for any progress of a request body, until the final head
 */
public record OriginTimeouts(Duration head, Duration body) {}
