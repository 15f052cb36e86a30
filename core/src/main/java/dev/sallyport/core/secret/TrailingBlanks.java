package dev.sallyport.core.secret;

import dev.sallyport.spi.SecretValue;

/** Trailing blanks added by editors are rarely intended; PEM and JSON keys are never sent, so they are exempt. */
final class TrailingBlanks {

    static final String MESSAGE = "its value begins or ends with white space, which is sent with it";
    static final String EXPECTED = "a value without, or trim: true for a file";

    private TrailingBlanks() {}

    static boolean around(SecretValue value) {
        String text = value.text();
        String bare = text.strip();
        return bare.length() < text.length() && bare.indexOf('\n') < 0 && !bare.startsWith("{");
    }
}
