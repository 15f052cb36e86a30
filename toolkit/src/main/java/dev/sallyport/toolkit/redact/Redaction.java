package dev.sallyport.toolkit.redact;

import java.util.Objects;

/**
 * A value that must be hidden, and the text shown instead. The arrays must not be changed.
 *
 * @param value at least {@link Redactor#MIN_LENGTH} bytes
 * @param placeholder the text shown instead; may be empty
 */
public record Redaction(byte[] value, byte[] placeholder) {

    public Redaction {
        Objects.requireNonNull(placeholder, "placeholder");
        if (value.length < Redactor.MIN_LENGTH) {
            throw new IllegalArgumentException(
                    "value: too short (expected: at least " + Redactor.MIN_LENGTH + " bytes)");
        }
    }

    @Override
    public String toString() {
        return "Redaction[***]";
    }
}
