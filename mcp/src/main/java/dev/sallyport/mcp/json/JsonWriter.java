package dev.sallyport.mcp.json;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes values without white space. */
public final class JsonWriter {

    private static final String HEX = "0123456789abcdef";

    private final StringBuilder out = new StringBuilder(256);
    private final boolean canonical;

    private JsonWriter(boolean canonical) {
        this.canonical = canonical;
    }

    /** Members in the order in which they were read, and numbers as they were written. */
    public static String compact(Json value) {
        return new JsonWriter(false).value(value).out.toString();
    }

    /** The canonical form of RFC 8785: members sorted by UTF-16 code units, numbers as ECMAScript writes doubles. */
    public static String canonical(Json value) {
        return new JsonWriter(true).value(value).out.toString();
    }

    /** A string in quotes. */
    public static String quote(String text) {
        JsonWriter writer = new JsonWriter(false);
        writer.string(text);
        return writer.out.toString();
    }

    private JsonWriter value(Json value) {
        switch (value) {
            case Json.Text text -> string(text.value());
            case Json.Num number -> out.append(canonical ? ecmaScript(number.spelling()) : number.spelling());
            case Json.Bool truth -> out.append(truth.value());
            case Json.Null nothing -> out.append("null");
            case Json.Arr array -> items(array.items());
            case Json.Obj object -> members(canonical ? new TreeMap<>(object.members()) : object.members());
        }
        return this;
    }

    private void items(List<Json> items) {
        out.append('[');
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            value(items.get(i));
        }
        out.append(']');
    }

    private void members(Map<String, Json> members) {
        out.append('{');
        boolean first = true;
        for (Map.Entry<String, Json> member : members.entrySet()) {
            if (!first) {
                out.append(',');
            }
            first = false;
            string(member.getKey());
            out.append(':');
            value(member.getValue());
        }
        out.append('}');
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < 0x20) {
                        out.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
                    } else if (Character.isSurrogate(c) && !isPaired(text, i)) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    private static boolean isPaired(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }

    /** Number::toString of ECMAScript for the double nearest to a number. */
    static String ecmaScript(String spelling) {
        double value = Double.parseDouble(spelling);
        if (!Double.isFinite(value)) {
            return spelling;
        }
        if (value == 0) {
            return "0";
        }
        BigDecimal shortest = new BigDecimal(Double.toString(Math.abs(value))).stripTrailingZeros();
        String digits = shortest.unscaledValue().toString();
        int point = digits.length() - shortest.scale();
        String sign = value < 0 ? "-" : "";
        if (point > 21 || point < -5) {
            String rest = digits.length() > 1 ? "." + digits.substring(1) : "";
            int exponent = point - 1;
            return sign + digits.charAt(0) + rest + "e" + (exponent < 0 ? "-" : "+") + Math.abs(exponent);
        }
        if (point <= 0) {
            return sign + "0." + "0".repeat(-point) + digits;
        }
        return point >= digits.length()
                ? sign + digits + "0".repeat(point - digits.length())
                : sign + digits.substring(0, point) + "." + digits.substring(point);
    }
}
