package dev.sallyport.core.redact;

import dev.sallyport.spi.RedactResponse;
import org.jspecify.annotations.Nullable;

/**
 * What an entry of the configuration says of its values.
 *
 * @param stage the name of the transform
 * @param secret the name of a secret in the entry; empty for what the transform makes of none
 * @param when in which responses they are looked for; null: as the proxy's configuration says
 */
public record RedactionPreference(
        String stage, String secret, @Nullable RedactResponse when) {}
