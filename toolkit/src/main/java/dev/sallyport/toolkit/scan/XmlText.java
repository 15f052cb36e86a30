package dev.sallyport.toolkit.scan;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Character data and attribute values of XML (XML 1.0, 2.4 and 3.3.3), as encoders write them. */
final class XmlText {

    /** Begins a section in which nothing is escaped (XML 1.0, 2.7). */
    static final byte[] CDATA_START = "<![CDATA[".getBytes(StandardCharsets.US_ASCII);

    /** Ends a section in which nothing is escaped. */
    static final byte[] CDATA_END = "]]>".getBytes(StandardCharsets.US_ASCII);

    private XmlText() {}

    /** Escapes what must be escaped in character data, or in an attribute value of either quote. */
    static byte[] escape(byte[] bytes) {
        return escape(bytes, "&<>\"'\t\n\r", "&quot;", "&#39;");
    }

    /** The forms in which common encoders write a text; the first is that of {@link #escape(byte[])}. */
    static List<byte[]> forms(byte[] bytes) {
        List<byte[]> forms = new ArrayList<>();
        forms.add(escape(bytes));
        for (String escaped : List.of("&<", "&<>", "&<>\"", "&<>\"'")) {
            forms.add(escape(bytes, escaped, "&quot;", "&apos;"));
            forms.add(escape(bytes, escaped, "&#34;", "&#39;"));
            forms.add(escape(bytes, escaped, "&#x22;", "&#x27;"));
        }
        return forms;
    }

    /**
     * A value in a section in which nothing can be escaped.
     *
     * @throws UnsafeValueException when the section could end within the value or at its edges
     */
    static byte[] requireInCdata(byte[] value) {
        String text = new String(value, StandardCharsets.ISO_8859_1);
        if (text.startsWith(">") || text.endsWith("]") || text.contains("]]>")) {
            throw new UnsafeValueException("body: a value that could end the CDATA section of its placeholder"
                    + " (expected: a value without ]]> that does not begin with > or end with ])");
        }
        return value;
    }

    private static byte[] escape(byte[] bytes, String escaped, String quote, String apostrophe) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length + 16);
        for (byte value : bytes) {
            if (value < 0 || escaped.indexOf(value) < 0) {
                out.write(value);
                continue;
            }
            String reference = switch (value) {
                case '&' -> "&amp;";
                case '<' -> "&lt;";
                case '>' -> "&gt;";
                case '"' -> quote;
                case '\'' -> apostrophe;
                default -> "&#" + value + ";";
            };
            out.writeBytes(reference.getBytes(StandardCharsets.US_ASCII));
        }
        return out.toByteArray();
    }
}
