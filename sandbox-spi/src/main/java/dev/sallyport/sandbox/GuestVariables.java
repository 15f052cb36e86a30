package dev.sallyport.sandbox;

import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a guest has in its environment. Values of secrets are none of it: their variables hold placeholders.
 *
 * @param values by names as POSIX has them; no NUL in values
 */
public record GuestVariables(Map<String, String> values) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

    /**
     * Checks the forms.
     *
     * @throws IllegalArgumentException when one is another; the message repeats no value
     */
    public GuestVariables {
        values = Map.copyOf(values);
        values.forEach((name, value) -> {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("environment has a name that is none: letters, digits and '_' only");
            }
            if (value.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("environment variable " + name + " has a NUL");
            }
        });
    }

    /** Without the values. */
    @Override
    public String toString() {
        return "GuestVariables" + values.keySet();
    }
}
