package dev.sallyport.control.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How many requests of an hour went to a host, with one result.
 *
 * @param hour when it began, in UTC
 * @param host null for all hosts beyond those of an hour that are counted apart
 * @param verdict what the egress policy said
 * @param allowed whether they were let through
 */
public record EgressHour(
        String id, Instant hour, @Nullable String host, EgressEvent.Verdict verdict, boolean allowed, long requests) {}
