package dev.sallyport.toolkit.template;

import java.nio.charset.StandardCharsets;

/** Operations on values of any kind. */
final class Values {

    private Values() {}

    /** As in Go, an empty text, zero and false are false. */
    static boolean truth(Object value) {
        return switch (value) {
            case byte[] text -> text.length > 0;
            case Long number -> number != 0;
            case Boolean truth -> truth;
            default -> throw new IllegalStateException("no such kind of value");
        };
    }

    /** The value's text. */
    static byte[] bytes(Object value) {
        return value instanceof byte[] text ? text : value.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
