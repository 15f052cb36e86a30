package dev.sallyport.core.redact;

import dev.sallyport.spi.RedactResponse;
import org.jspecify.annotations.Nullable;

/**
 * What an entry of the configuration says about redacting its values.
 *
 * @param stage the name of the transform
 * @param secret the name of a secret in the entry; empty for values that the transform creates without one
 * @param when the responses that are searched for them; null to follow the proxy's configuration
 */
public record RedactionPreference(
        String stage, String secret, @Nullable RedactResponse when) {}
