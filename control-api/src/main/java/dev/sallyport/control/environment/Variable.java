package dev.sallyport.control.environment;

import java.time.Instant;

/** An environment variable. Its value is shown to whoever has a key of the account, and stands nowhere else in clear. */
public record Variable(String id, String key, String value, Instant createdAt, Instant updatedAt) {

    /** Without the value. */
    @Override
    public String toString() {
        return "Variable[" + key + "]";
    }
}
