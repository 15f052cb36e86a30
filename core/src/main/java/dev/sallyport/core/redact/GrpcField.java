package dev.sallyport.core.redact;

import dev.sallyport.spi.Credential;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.redact.Redactor;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.IntConsumer;

/**
 * Fields whose values every gRPC client decodes before the application sees them: binary metadata, which is Base64, and
 * the status message, which is percent-encoded. Their decoded values are searched: a credential written there in one of
 * the known forms would otherwise be encoded once more than the search looks.
 */
final class GrpcField {

    private static final String BINARY = "-bin";
    private static final String MESSAGE = "grpc-message";
    private static final String HEX = "0123456789ABCDEF";

    private GrpcField() {}

    /** Whether a field of this name is one of these. */
    static boolean isEncoded(String name) {
        return isBinary(name) || HeaderNames.equal(name, MESSAGE);
    }

    private static boolean isBinary(String name) {
        return name.regionMatches(true, name.length() - BINARY.length(), BINARY, 0, BINARY.length());
    }

    /**
     * The value of such a field without credentials; the same instance when it contained none, or is not encoded as it
     * should be.
     */
    static String redacted(String name, String value, Redactor redactor, IntConsumer found) {
        return isBinary(name) ? binary(value, redactor, found) : message(value, redactor, found);
    }

    /** One line may hold several values. Lengths are checked in decoded form, such as that of the status details. */
    private static String binary(String value, Redactor redactor, IntConsumer found) {
        StringBuilder all = new StringBuilder(value.length());
        boolean changed = false;
        for (String element : value.split(",", -1)) {
            String before = decoded(element.strip());
            String after = redactor.countedText(before, found);
            boolean same = after.equals(before);
            changed |= !same;
            all.append(all.isEmpty() ? "" : ",").append(same ? element : encoded(after, element.endsWith("=")));
        }
        return changed ? all.toString() : value;
    }

    /** The decoded Base64, with or without padding; empty when it is invalid. */
    private static String decoded(String base64) {
        try {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return ""; // no client can decode it either
        }
    }

    private static String encoded(String latin1, boolean padded) {
        Base64.Encoder encoder =
                padded ? Base64.getEncoder() : Base64.getEncoder().withoutPadding();
        return encoder.encodeToString(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String message(String value, Redactor redactor, IntConsumer found) {
        if (value.indexOf('%') < 0) {
            return value;
        }
        String before = unescaped(value);
        String after = redactor.text(before, found);
        if (after.equals(before)) {
            return value;
        }
        String asItIs = redactor.text(value, found);
        // If one reading finds only the beginning of what the other finds, the rest would remain.
        return asItIs.equals(value) || unescaped(asItIs).equals(after) ? escaped(after) : Credential.MARKER;
    }

    private static String unescaped(String value) {
        StringBuilder out = new StringBuilder(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            int high = c == '%' && i + 2 < value.length() ? Character.digit(value.charAt(i + 1), 16) : -1;
            int low = high < 0 ? -1 : Character.digit(value.charAt(i + 2), 16);
            if (low >= 0) {
                out.append((char) (high << 4 | low));
                i += 2;
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    private static String escaped(String latin1) {
        StringBuilder out = new StringBuilder(latin1.length() + 32);
        for (int i = 0; i < latin1.length(); i++) {
            char c = latin1.charAt(i);
            if (c >= ' ' && c < 0x7f && c != '%') {
                out.append(c);
            } else {
                out.append('%').append(HEX.charAt(c >> 4 & 15)).append(HEX.charAt(c & 15));
            }
        }
        return out.toString();
    }
}
