package dev.sallyport.core.redact;

import dev.sallyport.spi.Credential;
import dev.sallyport.toolkit.headers.HeaderNames;
import dev.sallyport.toolkit.redact.Redactor;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.IntConsumer;

/**
 * Fields whose values every client of gRPC decodes before anybody sees them: binary metadata, which is Base64, and the
 * message of a status, which is percent-encoded. Values are looked for in what they stand for: written there in one of the
 * forms that are known here, they would else be one form deeper than is looked.
 */
final class GrpcField {

    private static final String BINARY = "-bin";
    private static final String MESSAGE = "grpc-message";
    private static final String HEX = "0123456789ABCDEF";

    private GrpcField() {}

    /** Whether a field of this name is one of them. */
    static boolean isEncoded(String name) {
        return isBinary(name) || HeaderNames.equal(name, MESSAGE);
    }

    private static boolean isBinary(String name) {
        return name.regionMatches(true, name.length() - BINARY.length(), BINARY, 0, BINARY.length());
    }

    /**
     * The value of such a field without values that must not be seen; the same instance when there was none, and when it
     * is not written as it should be.
     */
    static String redacted(String name, String value, Redactor redactor, IntConsumer found) {
        return isBinary(name) ? binary(value, redactor, found) : message(value, redactor, found);
    }

    /** Several values may stand in one line. Lengths are counted in what they are, such as the details of a status. */
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

    /** What Base64 stands for, with padding or without; empty when it is none. */
    private static String decoded(String base64) {
        try {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return ""; // No client gets anything out of it either.
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
        // Where one reading finds only the beginning of what the other one finds, what is left of it would stay.
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
