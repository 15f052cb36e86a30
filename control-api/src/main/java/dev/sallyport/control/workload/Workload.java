package dev.sallyport.control.workload;

import java.time.Instant;

/**
 * A workload, without its password.
 *
 * @param user with which it tells itself to the proxy
 */
public record Workload(String id, String name, String user, Instant createdAt) {}
