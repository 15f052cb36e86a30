package dev.sallyport.toolkit.scan;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The content of JSON strings (RFC 8259, 7), as encoders write it. */
final class JsonText {

    private JsonText() {}

    /** Escapes what must be escaped. */
    static byte[] escape(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + 16);
        for (byte value : bytes) {
            if (value >= 0 && (value < ' ' || value == '"' || value == '\\')) {
                out.writeBytes(escape((char) value, "0123456789abcdef").getBytes(StandardCharsets.US_ASCII));
            } else {
                out.write(value);
            }
        }
        return out.toByteArray();
    }

    /** The forms in which common encoders write a text; the first is that of {@link #escape(byte[])}. */
    static List<byte[]> forms(byte[] bytes) {
        List<byte[]> forms = new ArrayList<>();
        forms.add(escape(bytes));
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return forms;
        }
        for (String digits : List.of("0123456789abcdef", "0123456789ABCDEF")) {
            for (boolean ascii : new boolean[] {false, true}) {
                forms.add(form(text, digits, ascii, "", ""));
                forms.add(form(text, digits, ascii, "/", ""));
                forms.add(form(text, digits, ascii, "", "<>&"));
            }
        }
        return forms;
    }

    private static byte[] form(String text, String digits, boolean ascii, String slashed, String hidden) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (slashed.indexOf(c) >= 0) {
                out.append('\\').append(c);
            } else if (c < ' ' || c == '"' || c == '\\') {
                out.append(escape(c, digits));
            } else if (hidden.indexOf(c) >= 0 || (ascii && c > '~')) {
                unicode(c, digits, out);
            } else {
                out.append(c);
            }
        }
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String escape(char c, String digits) {
        return switch (c) {
            case '"' -> "\\\"";
            case '\\' -> "\\\\";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            case '\b' -> "\\b";
            case '\f' -> "\\f";
            default -> unicode(c, digits, new StringBuilder(6)).toString();
        };
    }

    private static StringBuilder unicode(char c, String digits, StringBuilder out) {
        out.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            out.append(digits.charAt((c >>> shift) & 0xf));
        }
        return out;
    }
}
