package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.spi.Headers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields {@code Mcp-Method} and {@code Mcp-Name} of the revision 2026-07-28, by which others route and judge without
 * reading the body: what they say must be what the body says.
 */
final class HeaderAgreement {

    private static final String SENTINEL = "=?base64?";
    private static final String SENTINEL_END = "?=";

    private HeaderAgreement() {}

    static void check(Headers headers, Json body) throws BadMessageException {
        List<String> methods = headers.all("Mcp-Method");
        List<String> names = headers.all("Mcp-Name");
        if (methods.isEmpty() && names.isEmpty()) {
            return;
        }
        if (methods.size() > 1 || names.size() > 1 || !(body instanceof Json.Obj message)) {
            throw mismatch("Mcp-Method and Mcp-Name are for one message, and stand once.");
        }
        if (!methods.isEmpty() && !methods.getFirst().equals(text(message.get("method")))) {
            throw mismatch("Mcp-Method is not the method of the message.");
        }
        if (!names.isEmpty() && !agrees(names.getFirst(), message)) {
            throw mismatch("Mcp-Name is not the name in the message.");
        }
    }

    private static boolean agrees(String name, Json.Obj message) {
        Json params = message.get("params");
        String method = text(message.get("method"));
        String member = switch (method == null ? "" : method) {
            case Methods.TOOLS_CALL, Methods.PROMPTS_GET -> "name";
            case Methods.RESOURCES_READ, Methods.RESOURCES_SUBSCRIBE, Methods.RESOURCES_UNSUBSCRIBE -> "uri";
            default -> "";
        };
        return member.isEmpty()
                || (params instanceof Json.Obj object && decoded(name).equals(text(object.get(member))));
    }

    private static String decoded(String value) {
        if (!value.startsWith(SENTINEL)
                || !value.endsWith(SENTINEL_END)
                || value.length() < SENTINEL.length() + SENTINEL_END.length()) {
            return value;
        }
        String encoded = value.substring(SENTINEL.length(), value.length() - SENTINEL_END.length());
        try {
            byte[] bytes = Base64.getDecoder().decode(encoded);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (IllegalArgumentException | CharacterCodingException e) {
            return value;
        }
    }

    private static @Nullable String text(@Nullable Json value) {
        return value instanceof Json.Text text ? text.value() : null;
    }

    private static BadMessageException mismatch(String detail) {
        return BadMessageException.because(Reasons.HEADERS, detail);
    }
}
