package dev.sallyport.transforms.hmacsign;

import dev.sallyport.spi.SecretValue;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The encoding of a key. */
public enum KeyEncoding {
    /** Its bytes as they are. */
    RAW("at least one byte"),
    /** Standard base64 (RFC 4648, 4), padded or not; white space around it is ignored. */
    BASE64("standard base64"),
    /** Hexadecimal digits in either case; white space around them is ignored. */
    HEX("an even number of hexadecimal digits");

    private final String expected;

    KeyEncoding(String expected) {
        this.expected = expected;
    }

    /** What a value must be, for error messages. */
    String expected() {
        return expected;
    }

    /** The key, or null when the value is not written so. */
    byte @Nullable [] decode(SecretValue value) {
        try {
            byte[] key = switch (this) {
                case RAW -> value.bytes();
                case BASE64 -> Base64.getDecoder().decode(value.text().strip());
                case HEX -> HexFormat.of().parseHex(value.text().strip());
            };
            return key.length == 0 ? null : key;
        } catch (IllegalArgumentException e) {
            return null; // The exception's message would show parts of the key.
        }
    }
}
