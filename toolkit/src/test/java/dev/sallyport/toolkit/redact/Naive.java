package dev.sallyport.toolkit.redact;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** What redaction should do, in the plainest words: the whole buffer, decoded anew behind every match. */
final class Naive {

    private static final int VIEWS = 6;
    private static final int RAW = 0;
    private static final int JSON = 1;
    private static final int PERCENT = 2;
    private static final int FORM = 3;
    private static final int HTML = 4;
    private static final int UTF_16 = 5;

    private record Token(int redaction, byte[] bytes, byte[] standIn, int least, boolean base64) {}

    private record Found(Token token, int view, int start, int end, boolean plain) {}

    private record Here(Token token, int length) {}

    private final List<Token> tokens = new ArrayList<>();

    Naive(List<Redaction> redactions) {
        for (int i = 0; i < redactions.size(); i++) {
            byte[] value = redactions.get(i).value();
            byte[] placeholder = redactions.get(i).placeholder();
            for (byte[] reading : readings(value)) {
                byte[] head = Arrays.copyOf(reading, Math.min(reading.length, publicPrefix(latin1(reading)) + 8));
                add(new Token(i, reading, placeholder, head.length, false));
                List<Token> others = new ArrayList<>(base64(i, reading, head, placeholder));
                String json = json(latin1(reading));
                String jsonHead = json(latin1(head));
                byte[] jsonPlaceholder = bytes(json(latin1(placeholder)));
                others.add(new Token(i, bytes(json), jsonPlaceholder, jsonHead.length(), false));
                String slashes = json.replace("/", "\\/");
                int least = jsonHead.replace("/", "\\/").length();
                others.add(new Token(i, bytes(slashes), jsonPlaceholder, least, false));
                for (List<String> quotes : List.of(
                        List.of("&quot;", "&#39;"),
                        List.of("&#34;", "&#39;"),
                        List.of("&quot;", "&#x27;"),
                        List.of("&quot;", "&apos;"))) {
                    String token = html(latin1(reading))
                            .replace("&quot;", quotes.get(0))
                            .replace("&#39;", quotes.get(1));
                    String of =
                            html(latin1(head)).replace("&quot;", quotes.get(0)).replace("&#39;", quotes.get(1));
                    others.add(new Token(i, bytes(token), bytes(html(latin1(placeholder))), of.length(), false));
                }
                for (boolean upper : new boolean[] {true, false}) {
                    for (String kept : List.of("[._~-]", "[._~!*'()-]", "[._*-]")) {
                        String percent = percent(reading, kept);
                        byte[] token = bytes(upper ? percent : lower(percent));
                        int of = percent(head, kept).length();
                        others.add(new Token(i, token, bytes(percent(placeholder)), of, false));
                    }
                }
                others.forEach(this::add);
                for (Token other : others) {
                    byte[] otherHead = Arrays.copyOf(other.bytes(), other.least());
                    base64(i, other.bytes(), otherHead, other.standIn()).forEach(this::add);
                }
                for (boolean upper : new boolean[] {true, false}) {
                    String every = everyByte(reading);
                    byte[] token = bytes(upper ? every : lower(every));
                    add(new Token(i, token, bytes(percent(placeholder)), 3 * head.length, false));
                }
            }
        }
    }

    private static List<Token> base64(int redaction, byte[] value, byte[] head, byte[] placeholder) {
        List<Token> tokens = new ArrayList<>();
        for (int alignment = 0; alignment < 3; alignment++) {
            for (boolean url : new boolean[] {false, true}) {
                byte[] standIn = new Base64Text(value, alignment, url).standIn(placeholder);
                int least = core(head, alignment, url).length;
                tokens.add(
                        new Token(redaction, core(value, alignment, url), standIn, least, head.length < value.length));
            }
        }
        return tokens;
    }

    private static int publicPrefix(String value) {
        java.util.regex.Matcher known = java.util.regex.Pattern.compile(
                        "(?s)-----BEGIN [^\n]*\n|(?i:basic |bearer |token )?(eyJ[^.]*\\.|.{0,15}[-_])?")
                .matcher(value);
        return known.lookingAt() ? known.end() : 0;
    }

    private void add(Token token) {
        if (tokens.stream().noneMatch(known -> Arrays.equals(known.bytes(), token.bytes()))) {
            tokens.add(token);
        }
    }

    private static List<byte[]> readings(byte[] value) {
        List<byte[]> readings = new ArrayList<>(List.of(value));
        String text = new String(value, StandardCharsets.UTF_8);
        boolean wellFormed = Arrays.equals(text.getBytes(StandardCharsets.UTF_8), value);
        readings.add(latin1(value).getBytes(StandardCharsets.UTF_8));
        if (wellFormed && text.chars().allMatch(c -> c <= 0xff) && text.length() >= Redactor.MIN_LENGTH) {
            readings.add(bytes(text));
        }
        for (byte[] reading : List.copyOf(readings)) {
            String stripped = latin1(reading).replaceAll("^[ \\t-\\r]+|[ \\t-\\r]+$", "");
            if (stripped.length() >= Redactor.MIN_LENGTH) {
                readings.add(bytes(stripped));
            }
        }
        return readings;
    }

    /** The digits that do not depend on what is around the value. */
    static byte[] core(byte[] value, int alignment, boolean url) {
        String low = encode(value, alignment, url, (byte) 0);
        String high = encode(value, alignment, url, (byte) 0xff);
        int from = 0;
        while (low.charAt(from) != high.charAt(from) || 6 * from < 8 * alignment) {
            from++;
        }
        int to = from;
        while (6 * (to + 1) <= 8 * (alignment + value.length)) {
            to++;
        }
        return bytes(low.substring(from, to));
    }

    private static String encode(byte[] value, int alignment, boolean url, byte around) {
        byte[] whole = new byte[alignment + value.length + 3];
        Arrays.fill(whole, around);
        System.arraycopy(value, 0, whole, alignment, value.length);
        return (url ? Base64.getUrlEncoder() : Base64.getEncoder()).encodeToString(whole);
    }

    byte[] redact(byte[] text, List<Integer> redactions) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int done = 0;
        for (Found best = best(text, done); best != null; best = best(text, done)) {
            redactions.add(best.token().redaction());
            out.write(text, done, best.start() - done);
            String standIn = latin1(best.token().standIn());
            String written = switch (best.view()) {
                case JSON -> json(standIn);
                case PERCENT, FORM -> percent(best.token().standIn());
                case HTML -> html(standIn);
                case UTF_16 -> utf16(standIn, text[best.start()] == 0);
                case RAW -> standIn;
                default -> throw new AssertionError(best.view());
            };
            out.writeBytes(bytes(written));
            done = best.end();
        }
        out.write(text, done, text.length - done);
        return out.toByteArray();
    }

    private Found best(byte[] text, int from) {
        Found best = null;
        for (int view = 0; view < VIEWS; view++) {
            Found found = firstIn(text, from, view);
            if (found != null && (best == null || precedes(found, best))) {
                best = found;
            }
        }
        return best;
    }

    private static boolean precedes(Found one, Found other) {
        if (one.start() != other.start()) {
            return one.start() < other.start();
        }
        return one.end() == other.end() ? !one.plain() && other.plain() : one.end() > other.end();
    }

    private Found firstIn(byte[] text, int from, int view) {
        View decoded = View.of(text, from, view);
        for (int i = 0; i < decoded.length; i++) {
            Here longest = null;
            for (Token token : tokens) {
                int length = lengthAt(decoded, i, token);
                boolean whole =
                        longest != null && longest.length() == longest.token().bytes().length;
                if (length > 0
                        && (longest == null
                                || length > longest.length()
                                || (length == longest.length() && !whole && length == token.bytes().length))) {
                    longest = new Here(token, length);
                }
            }
            if (longest != null) {
                int last = i + longest.length() - 1;
                boolean plain = true;
                for (int k = i; k <= last; k++) {
                    plain &= decoded.ends[k] - decoded.starts[k] == 1 && text[decoded.starts[k]] == decoded.bytes[k];
                }
                return new Found(longest.token(), view, decoded.starts[i], decoded.ends[last], plain);
            }
        }
        return null;
    }

    /** How much of a token is here: all of it, or as much as counts as having been cut off; else 0. */
    private static int lengthAt(View decoded, int at, Token token) {
        int length = 0;
        while (length < token.bytes().length
                && at + length < decoded.length
                && decoded.bytes[at + length] == token.bytes()[length]) {
            length++;
        }
        if (length == token.bytes().length) {
            return length;
        }
        for (; length >= token.least(); length--) {
            boolean end = at + length == decoded.length;
            if (end || token.base64() || !("" + (char) (decoded.bytes[at + length] & 0xff)).matches("[A-Za-z0-9]")) {
                return length;
            }
        }
        return 0;
    }

    /** Text from some place on, with the escapes of one kind replaced by what they stand for. */
    private static final class View {

        private final byte[] bytes;
        private final int[] starts;
        private final int[] ends;
        private int length;

        private View(int room) {
            bytes = new byte[room];
            starts = new int[room];
            ends = new int[room];
        }

        static View of(byte[] text, int from, int view) {
            View decoded = new View(text.length - from);
            String all = latin1(text);
            for (int at = from; at < text.length; ) {
                Object[] escape = escape(all, at, view);
                int size = escape == null ? 1 : (int) escape[0];
                byte[] meaning = escape == null ? new byte[] {text[at]} : (byte[]) escape[1];
                for (byte value : meaning) {
                    decoded.bytes[decoded.length] = value;
                    decoded.starts[decoded.length] = at;
                    decoded.ends[decoded.length++] = at + size;
                }
                at += size;
            }
            return decoded;
        }

        private static Object[] escape(String text, int at, int view) {
            if ("\\%+&\0".indexOf(text.charAt(at)) < 0) {
                return null;
            }
            String rest = text.substring(at, Math.min(text.length(), at + 24));
            return switch (view) {
                case JSON -> json(rest);
                case PERCENT -> percent(rest);
                case FORM -> rest.startsWith("+") ? new Object[] {1, bytes(" ")} : percent(rest);
                case HTML -> html(rest);
                case UTF_16 -> rest.matches("(?s)\0[^\0].*") ? new Object[] {2, bytes(rest.substring(1, 2))} : null;
                default -> null;
            };
        }

        private static Object[] percent(String rest) {
            return rest.matches("(?s)%[0-9a-fA-F]{2}.*")
                    ? new Object[] {3, new byte[] {(byte) Integer.parseInt(rest.substring(1, 3), 16)}}
                    : null;
        }

        private static Object[] json(String rest) {
            if (rest.matches("(?s)\\\\[\"\\\\/bfnrt].*")) {
                return new Object[] {2, bytes("" + "\"\\/\b\f\n\r\t".charAt("\"\\/bfnrt".indexOf(rest.charAt(1))))};
            }
            String pair = "(?s)\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}.*";
            if (rest.matches(pair)) {
                char high = (char) Integer.parseInt(rest.substring(2, 6), 16);
                char low = (char) Integer.parseInt(rest.substring(8, 12), 16);
                return new Object[] {12, ("" + high + low).getBytes(StandardCharsets.UTF_8)};
            }
            if (rest.matches("(?s)\\\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4}.*")) {
                char c = (char) Integer.parseInt(rest.substring(2, 6), 16);
                return new Object[] {6, ("" + c).getBytes(StandardCharsets.UTF_8)};
            }
            return null;
        }

        private static Object[] html(String rest) {
            int semicolon = rest.indexOf(';');
            if (!rest.startsWith("&") || semicolon < 0) {
                return null;
            }
            String name = rest.substring(1, semicolon);
            int named = List.of("amp", "lt", "gt", "quot", "apos").indexOf(name.toLowerCase(java.util.Locale.ROOT));
            long point = -1;
            if (named >= 0) {
                point = "&<>\"'".charAt(named);
            } else if (name.matches("#[0-9]+")) {
                point = Long.parseLong(name.substring(1));
            } else if (name.matches("#[xX][0-9a-fA-F]+")) {
                point = new java.math.BigInteger(name.substring(2), 16).longValue();
            }
            boolean valid = point >= 0 && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
            return valid
                    ? new Object[] {
                        semicolon + 1, Character.toString((int) point).getBytes(StandardCharsets.UTF_8)
                    }
                    : null;
        }
    }

    // Ways of writing; each character is one byte.

    static String json(String text) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int known = "\"\\\b\f\n\r\t".indexOf(c);
            out.append(known >= 0 ? "\\" + "\"\\bfnrt".charAt(known) : c < ' ' ? "\\u00" + hex(c, false) : "" + c);
        }
        return out.toString();
    }

    static String utf16(String text, boolean bigEndian) {
        String all = text.replaceAll("(?s)(.)", "\0$1");
        return bigEndian || all.isEmpty() ? all : all.substring(1);
    }

    static String html(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    static String percent(byte[] bytes) {
        return percent(bytes, "[._~-]");
    }

    private static String percent(byte[] bytes, String kept) {
        boolean form = kept.equals("[._*-]");
        StringBuilder out = new StringBuilder();
        for (byte b : bytes) {
            String one = "" + (char) (b & 0xff);
            String plain = form && b == ' ' ? "+" : one;
            boolean stays = one.matches("[A-Za-z0-9]|" + kept) || !plain.equals(one);
            out.append(stays ? plain : "%" + hex(one.charAt(0), true));
        }
        return out.toString();
    }

    private static String everyByte(byte[] bytes) {
        StringBuilder out = new StringBuilder();
        for (byte b : bytes) {
            out.append('%').append(hex((char) (b & 0xff), true));
        }
        return out.toString();
    }

    private static String lower(String percent) {
        StringBuilder out = new StringBuilder(percent);
        for (int i = out.indexOf("%"); i >= 0; i = out.indexOf("%", i + 3)) {
            out.replace(i, i + 3, out.substring(i, i + 3).toLowerCase(java.util.Locale.ROOT));
        }
        return out.toString();
    }

    static String hex(int value, boolean upper) {
        String digits = String.format("%02x", value & 0xff);
        return upper ? digits.toUpperCase(java.util.Locale.ROOT) : digits;
    }

    static byte[] bytes(String latin1) {
        return latin1.getBytes(StandardCharsets.ISO_8859_1);
    }

    static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
