package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.JsonParser;
import dev.sallyport.mcp.json.JsonSyntaxException;
import dev.sallyport.mcp.json.Names;
import dev.sallyport.mcp.json.Sniff;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestHead;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a head alone makes doubtful. */
final class HeadCheck {

    /** Fields by which frameworks let a client say another method than that of the request line. */
    private static final List<String> OVERRIDES =
            List.of("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override");

    private static final Set<String> CHARSETS = Set.of("", "utf-8", "utf8", "us-ascii", "ascii");
    private static final Names ENVELOPE = Names.of("jsonrpc", "method");

    private HeadCheck() {}

    static void check(RequestHead head) throws BadMessageException {
        Headers headers = head.headers();
        if (headers.contains("Sec-WebSocket-Key") || headers.contains("Sec-WebSocket-Version")) {
            throw BadMessageException.because(
                    Reasons.TRANSPORT, "MCP over WebSocket is not a transport that can be judged here.");
        }
        for (String override : OVERRIDES) {
            if (headers.contains(override)) {
                throw BadMessageException.because(
                        Reasons.HEADERS, "The field " + override + " would give the request another method.");
            }
        }
        if (headers.all("Content-Type").size() > 1) {
            throw BadMessageException.because(Reasons.HEADERS, "There is more than one Content-Type.");
        }
        String type = headers.first("Content-Type");
        if (type != null && !isUtf8(type)) {
            throw BadMessageException.because(Reasons.HEADERS, "The charset is not UTF-8.");
        }
        query(head.query());
    }

    /** Whether a content type says nothing of another charset. */
    static boolean isUtf8(String contentType) {
        return CHARSETS.contains(charset(contentType));
    }

    /** Whether the body is declared to be JSON. */
    static boolean saysJson(RequestHead head) {
        String type = head.headers().first("Content-Type");
        return type != null && mediaType(type).contains("json");
    }

    static String mediaType(String contentType) {
        int end = contentType.indexOf(';');
        return (end < 0 ? contentType : contentType.substring(0, end)).strip().toLowerCase(Locale.ROOT);
    }

    /** The parameter charset in lower case; empty for none, not a name of any when there are two. */
    static String charset(String contentType) {
        String found = "";
        for (String parameter : contentType.toLowerCase(Locale.ROOT).split("[;,]", -1)) {
            String text = parameter.strip();
            if (text.startsWith("charset")) {
                String value = text.substring("charset".length()).replaceAll("[\\s\"'=]", "");
                if (!found.isEmpty() && !found.equals(value)) {
                    return "?";
                }
                found = value.isEmpty() ? "?" : value;
            }
        }
        return found;
    }

    /** A message in the query of an address: no transport of MCP, but some servers would read it. */
    private static void query(String query) throws BadMessageException {
        if (query.isEmpty()) {
            return;
        }
        for (String parameter : query.split("[&;]", -1)) {
            int equals = parameter.indexOf('=');
            byte[] value = decoded(parameter.substring(equals + 1));
            if (isMember(equals < 0 ? parameter : parameter.substring(0, equals), value)
                    || (Sniff.of(value) == Sniff.Guess.JSON && mayBeMessage(value))
                    || isCodedMessage(value)) {
                throw BadMessageException.because(Reasons.TRANSPORT, "The query holds a message of JSON-RPC.");
            }
        }
    }

    /** JSON-RPC over GET once had its members as parameters. */
    private static boolean isMember(String name, byte[] value) {
        String member = new String(decoded(name), StandardCharsets.UTF_8);
        return switch (Names.fold(member)) {
            case "jsonrpc" -> true;
            case "method" -> Message.almostJudged(new String(value, StandardCharsets.UTF_8));
            default -> false;
        };
    }

    private static boolean isCodedMessage(byte[] value) {
        try {
            byte[] inside = Base64.getMimeDecoder()
                    .decode(new String(value, StandardCharsets.ISO_8859_1)
                            .replace(' ', '+')
                            .replace('-', '+')
                            .replace('_', '/'));
            return Sniff.of(inside) == Sniff.Guess.JSON && isMessage(JsonParser.parse(inside));
        } catch (IllegalArgumentException | JsonSyntaxException e) {
            return false; // no Base64, or a token of which only the beginning looks like JSON
        }
    }

    private static boolean mayBeMessage(byte[] value) {
        try {
            Json json = JsonParser.parse(value);
            return isMessage(json)
                    || (json instanceof Json.Arr array && array.items().stream().anyMatch(HeadCheck::isMessage));
        } catch (JsonSyntaxException e) {
            return true;
        }
    }

    /** Whether a value has a member of a request, or what a lenient reader would take for one. */
    static boolean isMessage(Json json) {
        return json instanceof Json.Obj object
                && (object.get("jsonrpc") != null || object.get("method") != null || ENVELOPE.resembledIn(object));
    }

    private static byte[] decoded(String text) {
        byte[] raw = text.getBytes(StandardCharsets.ISO_8859_1);
        byte[] decoded = new byte[raw.length];
        int length = 0;
        for (int i = 0; i < raw.length; i++) {
            int high = raw[i] == '%' && i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
            int low = high < 0 ? -1 : Character.digit(raw[i + 2], 16);
            if (low >= 0) {
                decoded[length++] = (byte) (high << 4 | low);
                i += 2;
            } else {
                decoded[length++] = raw[i] == '+' ? (byte) ' ' : raw[i];
            }
        }
        return Arrays.copyOf(decoded, length);
    }
}
