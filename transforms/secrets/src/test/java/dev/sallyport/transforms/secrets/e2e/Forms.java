package dev.sallyport.transforms.secrets.e2e;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The ways in which an echo may write what it got. Each character is one byte. */
final class Forms {

    private Forms() {}

    /** All of them; none has a line end in it unless the text has. */
    static List<String> of(String text) {
        List<String> forms = new ArrayList<>(List.of(
                text,
                percent(text),
                everyByte(text, "%%%02X"),
                everyByte(text, "%%%02x"),
                json(text, false),
                json(text, true),
                everyByte(text, "\\u%04x"),
                everyByte(text, "\\u%04X"),
                html(text),
                everyByte(text, "&#%d;"),
                everyByte(text, "&#%05d;"),
                everyByte(text, "&#x%x;"),
                everyByte(text, "&#X%X;"),
                percent(percent(text)),
                json(json(text, false), false)));
        for (String before : List.of("", "x", "xx")) {
            byte[] bytes = (before + text).getBytes(StandardCharsets.ISO_8859_1);
            String standard = Base64.getEncoder().encodeToString(bytes);
            forms.add(standard);
            forms.add(Base64.getEncoder().withoutPadding().encodeToString(bytes));
            forms.add(Base64.getUrlEncoder().encodeToString(bytes));
            forms.add(standard.replace("/", "\\/"));
            forms.add(percent(standard));
        }
        return forms;
    }

    static String percent(String text) {
        return URLEncoder.encode(text, StandardCharsets.ISO_8859_1);
    }

    private static String everyByte(String text, String format) {
        StringBuilder out = new StringBuilder();
        text.chars().forEach(c -> out.append(String.format(format, c)));
        return out.toString();
    }

    static String json(String text, boolean slashes) {
        String escaped = text.replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\r", "\\r")
                .replace("\n", "\\n");
        return slashes ? escaped.replace("/", "\\/") : escaped;
    }

    private static String html(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
