package dev.sallyport.control.egress;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A destination that is let through: exactly one of host and cidr, as they were sent.
 *
 * @param name unique among the rules of the account; null for none
 */
public record EgressRule(
        String id,
        @Nullable String name,
        @Nullable String host,
        @Nullable String cidr,
        @Nullable String comment,
        Instant createdAt) {}
