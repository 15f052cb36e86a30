package dev.sallyport.control.account;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What became of a device code.
 *
 * @param status {@code pending}, {@code authorized} or {@code expired}
 * @param token the key, when authorized
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DevicePoll(String status, @Nullable String token) {

    /** Without the token. */
    @Override
    public String toString() {
        return "DevicePoll[" + status + "]";
    }
}
