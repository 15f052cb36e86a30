package dev.sallyport.toolkit.redact;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** The public beginning of a value: the prefix of a kind of token, the header of a JWT, the first line of PEM. */
final class PublicPrefix {

    private static final int SEARCHED = 16;
    private static final List<String> SCHEMES = List.of("basic ", "bearer ", "token ");

    private PublicPrefix() {}

    /** Its length. */
    static int of(byte[] value) {
        String text = new String(value, StandardCharsets.ISO_8859_1);
        if (text.startsWith("-----BEGIN ")) {
            return text.indexOf('\n') + 1;
        }
        int from = 0;
        String lower = text.substring(0, Math.min(text.length(), SEARCHED)).toLowerCase(Locale.ROOT);
        for (String scheme : SCHEMES) {
            from = lower.startsWith(scheme) ? scheme.length() : from;
        }
        int dot = text.indexOf('.', from);
        if (text.startsWith("eyJ", from) && dot >= 0) {
            return dot + 1;
        }
        for (int i = Math.min(text.length(), from + SEARCHED) - 1; i >= from; i--) {
            if (value[i] == '-' || value[i] == '_') {
                return i + 1;
            }
        }
        return from;
    }
}
