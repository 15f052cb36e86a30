package dev.sallyport.core.redact;

import dev.sallyport.spi.RedactResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the operator wants it.
 *
 * @param responses what holds for credentials whose entry does not say; null: {@code swapped}, but {@code off} where the
 *     origin's address is loopback
 * @param afterRemoval how long values that are not sent any more are looked for
 */
public record RedactionSettings(@Nullable RedactResponse responses, Duration afterRemoval) {}
