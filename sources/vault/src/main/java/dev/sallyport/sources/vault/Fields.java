package dev.sallyport.sources.vault;

import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SourceContext;
import org.jspecify.annotations.Nullable;

/** Validates and reads the fields of both sources. */
final class Fields {

    private Fields() {}

    /** The reference, or null after adding a problem. */
    static @Nullable SecretReference reference(String text, Problems problems) {
        try {
            return SecretReference.parse(text);
        } catch (BadReferenceException e) {
            problems.add("/secret_ref", String.valueOf(e.getMessage()), SecretReference.EXPECTED);
            return null;
        }
    }

    /** A reference that has been validated. */
    static SecretReference reference(String text) {
        try {
            return SecretReference.parse(text);
        } catch (BadReferenceException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    static void variable(String pointer, String variable, String expected, Problems problems) {
        if (variable.isEmpty() || variable.indexOf('=') >= 0 || variable.indexOf('\0') >= 0) {
            problems.add(pointer, "not the name of an environment variable", expected);
        }
    }

    /** The value of a variable, which must be set. */
    static String valueOf(String variable, SourceContext context) throws SecretException {
        String value = context.environment(variable);
        if (value == null || value.isEmpty()) {
            throw new SecretException(
                    "environment variable " + variable + " is " + (value == null ? "not set" : "empty"));
        }
        return value;
    }

    /** A token in a form that can be sent. */
    static String token(String variable, SourceContext context) throws SecretException {
        String token = valueOf(variable, context);
        if (token.chars().anyMatch(c -> c <= ' ' || c >= 0x7f)) {
            throw new SecretException("environment variable " + variable
                    + " is not a token: it contains white space or an invalid character");
        }
        return token;
    }
}
