package dev.sallyport.core.redact;

import dev.sallyport.spi.RedactResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The operator's settings for redaction.
 *
 * @param responses the rule for credentials whose entry states none; null: {@code swapped}, but {@code off} where the
 *     origin's address is loopback
 * @param afterRemoval how long values that are no longer sent are searched for
 */
public record RedactionSettings(@Nullable RedactResponse responses, Duration afterRemoval) {}
