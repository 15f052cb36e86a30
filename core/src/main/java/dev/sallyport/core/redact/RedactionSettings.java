package dev.sallyport.core.redact;

import dev.sallyport.spi.Credential;
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
public record RedactionSettings(@Nullable RedactResponse responses, Duration afterRemoval) {

    /**
     * The rule that applies to a credential.
     *
     * @param local whether the origin's address is loopback
     */
    RedactResponse when(Credential secret, boolean local) {
        RedactResponse own = secret.when();
        if (own != null) {
            return own;
        }
        if (responses != null) {
            return responses;
        }
        return local ? RedactResponse.OFF : RedactResponse.SWAPPED;
    }
}
