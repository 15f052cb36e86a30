package dev.sallyport.control.feed;

import org.jspecify.annotations.Nullable;

/**
 * Whose workload it was that a proxy saw.
 *
 * @param vmId the sandbox; null for workloads that are none
 */
public record EventOwner(String organization, @Nullable String vmId) {}
