package dev.sallyport.transforms.hmacsign;

import java.util.Base64;
import java.util.HexFormat;

/** The encoding of a signature. */
public enum OutputEncoding {
    /** Standard base64, padded (RFC 4648, 4). */
    BASE64,
    /** Lower-case hexadecimal digits. */
    HEX;

    String encode(byte[] signature) {
        return switch (this) {
            case BASE64 -> Base64.getEncoder().encodeToString(signature);
            case HEX -> HexFormat.of().formatHex(signature);
        };
    }
}
