package dev.sallyport.transforms.secrets;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Sets a parameter of a raw query and leaves every other byte unchanged. */
final class QueryParameters {

    private static final String UNRESERVED = "-._~";
    private static final String HEX = "0123456789ABCDEF";

    private QueryParameters() {}

    /**
     * The query with one parameter of this name: the first one gets the value, others of the name are removed; if there
     * is none, it is appended.
     *
     * @param encodedValue percent-encoded
     */
    static String set(String rawQuery, String name, String encodedValue) {
        String encodedName = encode(name.getBytes(StandardCharsets.UTF_8));
        if (rawQuery.isEmpty()) {
            return encodedName + "=" + encodedValue;
        }
        List<String> kept = new ArrayList<>();
        boolean set = false;
        for (String parameter : rawQuery.split("&", -1)) {
            int equals = parameter.indexOf('=');
            String rawName = equals < 0 ? parameter : parameter.substring(0, equals);
            if (!decode(rawName).equals(name)) {
                kept.add(parameter);
            } else if (!set) {
                kept.add(rawName + "=" + encodedValue);
                set = true;
            }
        }
        if (!set) {
            kept.add(encodedName + "=" + encodedValue);
        }
        return String.join("&", kept);
    }

    static String encode(byte[] bytes) {
        StringBuilder out = new StringBuilder(bytes.length + 16);
        for (byte b : bytes) {
            int c = b & 0xff;
            boolean plain = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || UNRESERVED.indexOf(c) >= 0;
            if (plain) {
                out.append((char) c);
            } else {
                out.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            }
        }
        return out.toString();
    }

    private static String decode(String raw) {
        boolean plain = raw.chars().allMatch(c -> c != '%' && c != '+' && c < 0x80);
        if (plain) {
            return raw;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            int high = i + 2 < raw.length() ? Character.digit(raw.charAt(i + 1), 16) : -1;
            int low = i + 2 < raw.length() ? Character.digit(raw.charAt(i + 2), 16) : -1;
            if (c == '%' && high >= 0 && low >= 0) {
                out.write(high << 4 | low);
                i += 2;
            } else {
                out.write(c == '+' ? ' ' : c);
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
