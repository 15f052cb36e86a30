package dev.sallyport.transforms.sigv4auth;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The canonical forms of the parts of a request, as AWS documents them. Texts hold one character for each byte of the
 * wire. Pure functions.
 */
final class Canonical {

    private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    private static final Comparator<Parameter> BY_NAME_THEN_VALUE =
            Comparator.comparing(Parameter::name).thenComparing(Parameter::value);

    private record Parameter(String name, String value) {}

    private Canonical() {}

    /** The path of any service but S3: without empty and dot segments, and encoded once more. */
    static void path(String raw, StringBuilder out) {
        encode(isNormal(raw) ? raw : normal(raw), true, out);
    }

    /**
     * The path of S3, where every character of a key matters: encoded once, whatever was encoded on the wire. An
     * encoded slash stays encoded: clients send one for the second of two slashes.
     */
    static void objectPath(String raw, StringBuilder out) {
        for (int from = 0; from <= raw.length(); ) {
            int slash = raw.indexOf('/', from);
            int end = slash < 0 ? raw.length() : slash;
            encode(decode(raw.substring(from, end), false), false, out);
            if (slash >= 0) {
                out.append('/');
            }
            from = end + 1;
        }
    }

    /** The query, sorted, without the signature of a presigned URL. */
    static void query(String raw, StringBuilder out) {
        if (raw.isEmpty()) {
            return;
        }
        List<Parameter> parameters = new ArrayList<>();
        for (int from = 0; from <= raw.length(); ) {
            int end = RawQuery.endOfPiece(raw, from);
            if (end > from) {
                Parameter parameter = parameter(raw.substring(from, end));
                if (!parameter.name().equals(Names.QUERY_SIGNATURE)) {
                    parameters.add(parameter);
                }
            }
            from = end + 1;
        }
        parameters.sort(BY_NAME_THEN_VALUE);
        for (int i = 0; i < parameters.size(); i++) {
            out.append(i == 0 ? "" : "&")
                    .append(parameters.get(i).name())
                    .append('=')
                    .append(parameters.get(i).value());
        }
    }

    private static Parameter parameter(String piece) {
        int equals = piece.indexOf('=');
        return equals < 0
                ? new Parameter(again(piece), "")
                : new Parameter(again(piece.substring(0, equals)), again(piece.substring(equals + 1)));
    }

    private static String again(String raw) {
        StringBuilder out = new StringBuilder(raw.length() + 16);
        encode(decode(raw, true), false, out);
        return out.toString();
    }

    /** The value of a header: without white space around it, and with single spaces in it. */
    static void value(String raw, StringBuilder out) {
        int begin = out.length();
        boolean space = false;
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == ' ' || (c >= '\t' && c <= '\r')) {
                space = out.length() > begin;
            } else {
                if (space) {
                    out.append(' ');
                    space = false;
                }
                out.append(c);
            }
        }
    }

    /** Percent-encodes everything except unreserved characters (RFC 3986, 2.3) and, where they are kept, slashes. */
    static void encode(String text, boolean keepSlash, StringBuilder out) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isUnreserved(c) || (keepSlash && c == '/')) {
                out.append(c);
            } else {
                out.append('%').append((char) HEX[c >> 4 & 0xf]).append((char) HEX[c & 0xf]);
            }
        }
    }

    /** Removes percent-encoding; malformed escapes stay. */
    static String decode(String raw, boolean plusIsSpace) {
        if (raw.indexOf('%') < 0 && !(plusIsSpace && raw.indexOf('+') >= 0)) {
            return raw;
        }
        StringBuilder out = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            int high = c == '%' && i + 2 < raw.length() ? Character.digit(raw.charAt(i + 1), 16) : -1;
            int low = high < 0 ? -1 : Character.digit(raw.charAt(i + 2), 16);
            if (low >= 0) {
                out.append((char) (high << 4 | low));
                i += 2;
            } else {
                out.append(plusIsSpace && c == '+' ? ' ' : c);
            }
        }
        return out.toString();
    }

    private static boolean isUnreserved(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '.'
                || c == '_'
                || c == '~';
    }

    private static boolean isNormal(String path) {
        return path.startsWith("/") && !path.contains("//") && !path.contains("/.");
    }

    private static String normal(String path) {
        List<String> kept = new ArrayList<>();
        boolean open = false;
        for (String segment : path.split("/", -1)) {
            open = segment.isEmpty() || segment.equals(".") || segment.equals("..");
            if (!open) {
                kept.add(segment);
            } else if (segment.equals("..") && !kept.isEmpty()) {
                kept.removeLast();
            }
        }
        String joined = "/" + String.join("/", kept);
        return open && !kept.isEmpty() ? joined + "/" : joined;
    }
}
