package dev.sallyport.toolkit.redact;

import java.util.Objects;

/**
 * A value that must not be seen, and what is shown instead. Immutable by agreement: the arrays are not to be changed.
 *
 * @param value at least {@link Redactor#MIN_LENGTH} bytes
 * @param placeholder what stands for it; may be empty
 */
public record Cover(byte[] value, byte[] placeholder) {

    public Cover {
        Objects.requireNonNull(placeholder, "placeholder");
        if (value.length < Redactor.MIN_LENGTH) {
            throw new IllegalArgumentException(
                    "value: too short (expected: at least " + Redactor.MIN_LENGTH + " bytes)");
        }
    }

    @Override
    public String toString() {
        return "Cover[***]";
    }
}
