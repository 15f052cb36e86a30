package dev.sallyport.conformance.mcp;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.decoder.BrotliInputStream;
import com.github.luben.zstd.ZstdInputStream;
import dev.sallyport.conformance.mcp.LenientJson.Member;
import dev.sallyport.conformance.mcp.LenientJson.Members;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Whether there is any reading of a request, however tolerant, in which it calls the tool {@code wipe}, or {@code send}
 * with arguments other than those allowed.
 */
final class LenientReader {

    static final String RECIPIENT = "friend@example.com";

    private static final List<String> CHARSETS =
            List.of("UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE", "ISO-8859-1", "IBM037");
    private static final Pattern SHIFTED = Pattern.compile("\\+([A-Za-z0-9/]*)-?");
    private static final int ENOUGH = 4 << 20;

    static {
        Brotli4jLoader.ensureAvailability();
    }

    private LenientReader() {}

    /** Whether a request does what is forbidden, for anyone who wants to read it so. */
    static boolean forbidden(Seen request) {
        if (commandedByHeaders(request)) {
            return true;
        }
        Set<String> texts = texts(request);
        texts.addAll(carried(request.target()));
        for (byte[] body : bodies(request)) {
            String ascii = new String(body, StandardCharsets.ISO_8859_1);
            texts.add(unshifted(ascii));
            texts.add(overlong(ascii));
            texts.addAll(carried(ascii));
            texts.add(quotedPrintable(ascii));
        }
        return texts.stream().anyMatch(LenientReader::forbidden);
    }

    /** The content of a message in every coding and charset in which it may be read. */
    static Set<String> texts(Seen message) {
        Set<String> texts = new LinkedHashSet<>();
        for (byte[] body : bodies(message)) {
            CHARSETS.forEach(charset -> texts.add(new String(body, Charset.forName(charset))));
        }
        return texts;
    }

    private static boolean forbidden(String text) {
        return LenientJson.values(text).stream().anyMatch(LenientReader::forbidden);
    }

    private static boolean commandedByHeaders(Seen request) {
        return request.header("Mcp-Method").stream().anyMatch(value -> like(value, "tools/call"))
                && request.header("Mcp-Name").stream().anyMatch(value -> like(sentinel(value), "wipe"));
    }

    private static String sentinel(String value) {
        Matcher sentinel = Pattern.compile("=\\?base64\\?(.*)\\?=").matcher(value.trim());
        return sentinel.matches()
                ? new String(Base64.getMimeDecoder().decode(sentinel.group(1)), StandardCharsets.UTF_8)
                : value;
    }

    private static boolean forbidden(@Nullable Object message) {
        if (message instanceof List<?> batch) {
            return batch.stream().anyMatch(LenientReader::forbidden);
        }
        if (message instanceof String nested) {
            return nested.contains("{") && forbidden(nested);
        }
        return message instanceof Members members
                && any(members, "method", value -> names(value, "tools/call"))
                && any(members, "params", LenientReader::forbiddenCall);
    }

    private static boolean forbiddenCall(@Nullable Object params) {
        if (params instanceof String nested) {
            return LenientJson.values(nested).stream().anyMatch(LenientReader::forbiddenCall);
        }
        if (params instanceof List<?> positional) {
            return positional.stream().anyMatch(value -> names(value, "wipe") || forbiddenCall(value));
        }
        if (!(params instanceof Members members)) {
            return false;
        }
        return any(members, "name", value -> names(value, "wipe"))
                || (any(members, "name", value -> names(value, "send"))
                        && any(members, "arguments", LenientReader::forbiddenArguments));
    }

    private static boolean names(@Nullable Object value, String tool) {
        return (value instanceof String name && like(name, tool))
                || (value instanceof List<?> list && list.stream().anyMatch(element -> names(element, tool)))
                || (value instanceof Members members
                        && members.list().stream()
                                .anyMatch(member -> like(member.name(), tool) || names(member.value(), tool)));
    }

    private static boolean forbiddenArguments(@Nullable Object arguments) {
        if (!(arguments instanceof Members members)) {
            return true;
        }
        return any(members, "to", value -> !RECIPIENT.equals(value)) || any(members, "amount", value -> !small(value));
    }

    private static boolean small(@Nullable Object amount) {
        try {
            return amount instanceof String digits
                    && new BigDecimal(digits).abs().compareTo(BigDecimal.TEN) < 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static boolean any(Members members, String name, Predicate<@Nullable Object> test) {
        return members.list().stream()
                .filter(member -> like(member.name(), name))
                .map(Member::value)
                .anyMatch(test);
    }

    /** Equal but for case, compatibility forms, look-alikes, white space, controls and what cannot be seen. */
    private static boolean like(String value, String expected) {
        String cut = value.indexOf('\0') > 0 ? value.substring(0, value.indexOf('\0')) : value;
        return folded(value).equals(expected) || folded(cut).equals(expected);
    }

    private static String folded(String value) {
        String plain = Normalizer.normalize(value, Normalizer.Form.NFKD)
                .replace('\u0430', 'a')
                .replace('\u0435', 'e')
                .replace('\u043e', 'o')
                .replace('\u0440', 'p')
                .replace('\u0441', 'c')
                .replace('\u0456', 'i')
                .replace('\u2044', '/')
                .replace('\u2215', '/')
                .replace('\u017f', 's')
                .replace("%2F", "/")
                .replace("%2f", "/")
                .replace('\\', '/')
                .replace("//", "/");
        return plain.codePoints()
                .filter(c -> !Character.isWhitespace(c) && !Character.isSpaceChar(c))
                .filter(c -> !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT)
                .filter(c -> Character.getType(c) != Character.NON_SPACING_MARK)
                .filter(c -> Character.getType(c) != Character.SURROGATE && c != 0xfffd)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString()
                .replace("\u0131", "i")
                .toLowerCase(Locale.ROOT);
    }

    /** What a query or a form carries, and what a server makes of fields that are a message's members. */
    private static List<String> carried(String text) {
        List<String> texts = new ArrayList<>();
        String query = text.contains("?") && text.startsWith("/") ? text.substring(text.indexOf('?') + 1) : text;
        StringBuilder members = new StringBuilder("{");
        for (String field : query.split("&", -1)) {
            int split = field.indexOf('=');
            if (split > 0) {
                String value = decoded(field.substring(split + 1));
                texts.add(value);
                base64(value, texts);
                members.append('"').append(decoded(field.substring(0, split))).append("\":");
                members.append(value.startsWith("{") ? value : '"' + value + '"')
                        .append(',');
            }
        }
        texts.add(members.append('}').toString());
        base64(text, texts);
        return texts;
    }

    private static void base64(String value, List<String> texts) {
        try {
            texts.add(new String(Base64.getMimeDecoder().decode(value), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            // No Base64.
        }
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value;
        }
    }

    private static String quotedPrintable(String text) {
        Matcher escape = Pattern.compile("=([0-9A-Fa-f]{2})").matcher(text.replace("=\r\n", ""));
        return escape.replaceAll(
                found -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(found.group(1), 16))));
    }

    /** UTF-7. */
    private static String unshifted(String text) {
        return SHIFTED.matcher(text).replaceAll(found -> Matcher.quoteReplacement(shifted(found.group(1))));
    }

    private static String shifted(String digits) {
        if (digits.isEmpty()) {
            return "+";
        }
        try {
            return new String(Base64.getDecoder().decode(digits), StandardCharsets.UTF_16BE);
        } catch (IllegalArgumentException e) {
            return digits;
        }
    }

    /** Two and three bytes where one would do. */
    private static String overlong(String bytes) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bytes.length(); i++) {
            char lead = bytes.charAt(i);
            if ((lead == 0xc0 || lead == 0xc1) && i + 1 < bytes.length()) {
                text.append((char) (((lead & 0x1f) << 6) | (bytes.charAt(++i) & 0x3f)));
            } else if (lead == 0xe0 && i + 2 < bytes.length()) {
                text.append((char) (((bytes.charAt(i + 1) & 0x3f) << 6) | (bytes.charAt(i + 2) & 0x3f)));
                i += 2;
            } else {
                text.append(lead);
            }
        }
        return text.toString();
    }

    /** The body, and what becomes of it as its codings are undone one by one. */
    static List<byte[]> bodies(Seen request) {
        List<byte[]> bodies = new ArrayList<>(List.of(request.body()));
        byte[] plain = request.body();
        List<String> codings = new ArrayList<>();
        request.header("Content-Encoding").forEach(line -> codings.addAll(List.of(line.split(",", -1))));
        request.header("Transfer-Encoding").forEach(line -> codings.addAll(List.of(line.split(",", -1))));
        for (String coding : codings.reversed()) {
            plain = inflated(plain, coding.trim().toLowerCase(Locale.ROOT));
            bodies.add(plain);
        }
        return bodies;
    }

    private static byte[] inflated(byte[] body, String coding) {
        return switch (coding) {
            case "gzip", "x-gzip" -> read(body, GZIPInputStream::new);
            case "deflate" -> {
                byte[] wrapped = read(body, InflaterInputStream::new);
                yield wrapped.length > 0 ? wrapped : read(body, in -> new InflaterInputStream(in, new Inflater(true)));
            }
            case "br" -> read(body, BrotliInputStream::new);
            case "zstd" -> read(body, ZstdInputStream::new);
            case "base64" -> Base64.getMimeDecoder().decode(body);
            default -> body;
        };
    }

    private interface Opening {
        InputStream open(InputStream in) throws IOException;
    }

    /** As much as can be read. */
    private static byte[] read(byte[] body, Opening opening) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        try (InputStream in = opening.open(new ByteArrayInputStream(body))) {
            for (int next = in.read(); next >= 0 && plain.size() < ENOUGH; next = in.read()) {
                plain.write(next);
            }
        } catch (IOException e) {
            // The rest is no such coding.
        }
        return plain.toByteArray();
    }
}
