package dev.sallyport.core.redact;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.toolkit.coding.Codings;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Whether the content of a response is written in such a way that values can be looked for in it. */
final class Readability {

    /** All of ASCII, as far as text needs it. */
    private static final String ASCII = printable();

    /** Names in use that Java does not know, of charsets that keep ASCII; and words for none at all. */
    private static final Set<String> ALSO =
            Set.of("utf8mb4", "utf-8-sig", "x-user-defined", "binary", "none", "x-mac-roman");

    /** Those that shift: the same byte stands for one thing here and for another there. */
    private static final Set<String> SHIFTING = Set.of("iso-2022", "x-iso-2022", "hz", "utf-7", "x-compound");

    private static final String GRPC_WEB_TEXT = "application/grpc-web-text";

    private static final int KNOWN = 256;

    private static final Map<String, Boolean> JUDGED = new ConcurrentHashMap<>();

    private Readability() {}

    /** What is wrong with it, or null. */
    static ResponseSearch.@Nullable Fault fault(HeaderBlock head) {
        String type = head.first("Content-Type");
        if (type != null && isGrpc(type) && !isReadable(type, messageCodings(head))) {
            return ResponseSearch.Fault.CODING;
        }
        if (head.contains("Content-Encoding")
                && !Codings.parse(String.join(",", head.all("Content-Encoding")))
                        .known()) {
            return ResponseSearch.Fault.CODING;
        }
        String charset = type == null ? null : parameter(type, "charset");
        return charset == null || isSearched(charset) ? null : ResponseSearch.Fault.CHARSET;
    }

    static boolean isGrpc(String contentType) {
        return contentType.regionMatches(true, 0, "application/grpc", 0, "application/grpc".length());
    }

    /** How the messages of a gRPC call are compressed, those of them that say so. */
    static Codings messageCodings(HeaderBlock head) {
        return Codings.parse(head.contains("grpc-encoding") ? String.join(",", head.all("grpc-encoding")) : null);
    }

    /** It is one coding, not a list; and in the text form of gRPC-Web, Base64 stands around the messages. */
    private static boolean isReadable(String type, Codings codings) {
        return codings.isIdentity()
                || (codings.list().size() == 1
                        && !type.regionMatches(true, 0, GRPC_WEB_TEXT, 0, GRPC_WEB_TEXT.length()));
    }

    /** The value of a parameter of a media type (RFC 9110, 5.6.6), unquoted; null when it is not there. */
    static @Nullable String parameter(String value, String name) {
        if (value.indexOf(';') < 0) {
            return null;
        }
        for (String part : value.split(";", -1)) {
            int equals = part.indexOf('=');
            if (equals > 0 && part.substring(0, equals).strip().equalsIgnoreCase(name)) {
                return part.substring(equals + 1)
                        .replace('"', ' ')
                        .replace('\'', ' ')
                        .strip();
            }
        }
        return null;
    }

    /** Whether text of this charset is looked through: it keeps ASCII, or is UTF-16. */
    static boolean isSearched(String charset) {
        String name = charset.toLowerCase(Locale.ROOT);
        Boolean known = JUDGED.get(name);
        if (known == null) {
            known = judge(name);
            if (JUDGED.size() < KNOWN) {
                JUDGED.put(name, known);
            }
        }
        return known;
    }

    private static boolean judge(String name) {
        if (name.isEmpty() || ALSO.contains(name)) {
            return true;
        }
        if (SHIFTING.stream().anyMatch(name::startsWith)) {
            return false;
        }
        try {
            Charset charset = Charset.forName(name);
            String canonical = charset.name().toLowerCase(Locale.ROOT);
            return canonical.startsWith("utf-16")
                    || (SHIFTING.stream().noneMatch(canonical::startsWith) && keepsAscii(charset));
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            return false;
        }
    }

    private static boolean keepsAscii(Charset charset) {
        return new String(ASCII.getBytes(StandardCharsets.US_ASCII), charset).equals(ASCII);
    }

    private static String printable() {
        StringBuilder text = new StringBuilder(96);
        for (char c = ' '; c < 0x7f; c++) {
            // Shift_JIS and others have a currency sign or a line above in these places, on paper.
            if (c != '\\' && c != '~') {
                text.append(c);
            }
        }
        return text.toString();
    }
}
