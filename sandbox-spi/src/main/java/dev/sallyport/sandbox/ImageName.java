package dev.sallyport.sandbox;

import java.util.regex.Pattern;

/**
 * The name of a base image, such as {@code debian-12}: 1 to 63 of {@code a-z}, {@code 0-9}, {@code .}, {@code _} and {@code
 * -}, beginning with a letter or a digit.
 *
 * @param value the name
 */
public record ImageName(String value) {

    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9._-]{0,62}");

    /**
     * Checks the form.
     *
     * @throws IllegalArgumentException when it is another
     */
    public ImageName {
        if (!isValid(value)) {
            throw new IllegalArgumentException(
                    "not the name of an image (expected: 1 to 63 of a-z, 0-9, '.', '_', '-', first a letter or a digit)");
        }
    }

    /** Whether it has the form of a name. */
    public static boolean isValid(String value) {
        return FORM.matcher(value).matches();
    }

    @Override
    public String toString() {
        return value;
    }
}
