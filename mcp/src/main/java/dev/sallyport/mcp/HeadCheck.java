package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.JsonDetector;
import dev.sallyport.mcp.json.JsonParser;
import dev.sallyport.mcp.json.JsonSyntaxException;
import dev.sallyport.mcp.json.Names;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestHead;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Finds in a head alone what would make the meaning of a message doubtful. */
final class HeadCheck {

    /** Fields with which frameworks let a client override the method of the request line. */
    private static final List<String> OVERRIDES =
            List.of("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override");

    private static final Set<String> CHARSETS = Set.of("", "utf-8", "utf8", "us-ascii", "ascii");
    private static final Names ENVELOPE = Names.of("jsonrpc", "method");
    private static final Names JSON_RPC = Names.of("jsonrpc");

    private HeadCheck() {}

    static void check(RequestHead head) throws BadMessageException {
        Headers headers = head.headers();
        if (headers.contains("Sec-WebSocket-Key") || headers.contains("Sec-WebSocket-Version")) {
            throw BadMessageException.because(DenialReasons.TRANSPORT, "MCP over WebSocket cannot be judged.");
        }
        for (String override : OVERRIDES) {
            if (headers.contains(override)) {
                throw BadMessageException.because(
                        DenialReasons.HEADERS, "The field " + override + " would give the request another method.");
            }
        }
        if (headers.all("Content-Type").size() > 1) {
            throw BadMessageException.because(DenialReasons.HEADERS, "There is more than one Content-Type.");
        }
        String type = headers.first("Content-Type");
        if (type != null && !isUtf8(type)) {
            throw BadMessageException.because(DenialReasons.HEADERS, "The charset is not UTF-8.");
        }
        query(head.query());
    }

    /** Whether a content type names no charset other than UTF-8. */
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

    /** The parameter charset in lower case; empty for none, an invalid name when there are two. */
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

    /** Whether the query contains a message: no MCP transport does this, but some servers would read it. */
    private static void query(String query) throws BadMessageException {
        if (query.isEmpty()) {
            return;
        }
        for (String parameter : query.split("[&;]", -1)) {
            int equals = parameter.indexOf('=');
            byte[] value = decoded(parameter.substring(equals + 1));
            if (isMember(equals < 0 ? parameter : parameter.substring(0, equals), value)
                    || (JsonDetector.of(value) == JsonDetector.Guess.JSON && mayBeMessage(value))
                    || isCodedMessage(value)) {
                throw BadMessageException.because(DenialReasons.TRANSPORT, "The query holds a message of JSON-RPC.");
            }
        }
    }

    /** JSON-RPC over GET once sent its members as parameters. */
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
            return JsonDetector.of(inside) == JsonDetector.Guess.JSON && isMessage(JsonParser.parse(inside));
        } catch (IllegalArgumentException | JsonSyntaxException e) {
            return false; // Not Base64, or a token whose beginning only looks like JSON.
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

    /** Whether a value has a member of a request, or one that a lenient reader would take for it. */
    static boolean isMessage(Json json) {
        return json instanceof Json.Obj object
                && (object.get("jsonrpc") != null || object.get("method") != null || ENVELOPE.resembledIn(object));
    }

    /** Whether a value, or one of a list, has the member jsonrpc, or one that a lenient reader would take for it. */
    static boolean namesJsonRpc(Json json) {
        return json instanceof Json.Arr array
                ? array.items().stream().anyMatch(HeadCheck::namesJsonRpc)
                : json instanceof Json.Obj object && (object.get("jsonrpc") != null || JSON_RPC.resembledIn(object));
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
