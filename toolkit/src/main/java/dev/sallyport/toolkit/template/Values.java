package dev.sallyport.toolkit.template;

import java.nio.charset.StandardCharsets;

/** What can be done with any value. */
final class Values {

    private Values() {}

    /** Go's notion: an empty text, zero and false are false. */
    static boolean truth(Object value) {
        return switch (value) {
            case byte[] text -> text.length > 0;
            case Long number -> number != 0;
            case Boolean truth -> truth;
            default -> throw new IllegalStateException("no such kind of value");
        };
    }

    /** The value as it is written. */
    static byte[] bytes(Object value) {
        return value instanceof byte[] text ? text : value.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
