package dev.sallyport.control.account;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * What became of a device code.
 *
 * @param token the key, when authorized
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DevicePoll(Status status, @Nullable String token) {

    /** States of codes. */
    public enum Status {
        /** Nobody has decided. */
        @JsonProperty("pending")
        PENDING,
        /** The device has a key. */
        @JsonProperty("authorized")
        AUTHORIZED,
        /** The device gets nothing, or nothing any more. */
        @JsonProperty("expired")
        EXPIRED
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "DevicePoll[" + status + "]";
    }
}
