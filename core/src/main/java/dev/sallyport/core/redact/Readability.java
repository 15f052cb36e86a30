package dev.sallyport.core.redact;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.toolkit.coding.Coding;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.headers.CallProtocol;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Tells whether the content of a response is encoded in such a way that it can be searched. */
final class Readability {

    /** The printable part of ASCII, as text needs it. */
    private static final String ASCII = printable();

    /** Charset names in use that Java does not know and that keep ASCII; and names that mean none at all. */
    private static final Set<String> ALSO =
            Set.of("utf8mb4", "utf-8-sig", "x-user-defined", "binary", "none", "x-mac-roman");

    /** Charsets that shift: the same byte means one thing here and another there. */
    private static final Set<String> SHIFTING = Set.of("iso-2022", "x-iso-2022", "hz", "utf-7", "x-compound");

    private static final String GRPC_WEB_TEXT = "application/grpc-web-text";

    private static final int KNOWN = 256;

    private static final Map<String, Boolean> JUDGED = new ConcurrentHashMap<>();

    private Readability() {}

    /** The reason why it cannot be searched, or null. */
    static ResponseSearch.@Nullable Fault fault(HeaderBlock head) {
        String type = head.first("Content-Type");
        CallProtocol call = CallProtocol.of(type);
        if (type != null && call != null && !isReadable(type, messageCodings(call, head))) {
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

    /**
     * Whether the coded bytes may hold text that decoders skip without a word, and have to be searched as they are: the
     * metadata of br (RFC 7932, 9.2), which stands there unchanged.
     */
    static boolean mayHideMetadata(HeaderBlock head) {
        return head.contains("Content-Encoding")
                && Codings.parse(String.join(",", head.all("Content-Encoding")))
                        .list()
                        .contains(Coding.BR);
    }

    /** The codings of the messages of a call that are flagged as compressed. */
    static Codings messageCodings(CallProtocol call, HeaderBlock head) {
        String field = call.encodingField();
        return Codings.parse(head.contains(field) ? String.join(",", head.all(field)) : null);
    }

    /** There must be one coding, not a list; and in the text form of gRPC-Web, messages are wrapped in Base64. */
    private static boolean isReadable(String type, Codings codings) {
        return codings.isIdentity() || (codings.list().size() == 1 && !isGrpcWebText(type));
    }

    /** Whether messages are wrapped in Base64. */
    static boolean isGrpcWebText(String contentType) {
        return contentType.regionMatches(true, 0, GRPC_WEB_TEXT, 0, GRPC_WEB_TEXT.length());
    }

    /** The value of a parameter of a media type (RFC 9110, 5.6.6), unquoted; null when it is absent. */
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

    /** Whether text of this charset can be searched: it keeps ASCII, or is UTF-16. */
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
            // On paper, Shift_JIS and others have a currency sign or an overline in these places.
            if (c != '\\' && c != '~') {
                text.append(c);
            }
        }
        return text.toString();
    }
}
