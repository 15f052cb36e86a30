package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.spi.Headers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks the fields {@code Mcp-Method}, {@code Mcp-Name} and {@code Mcp-Param-*} of revision 2026-07-28, by which
 * others route and judge without reading the body, against the body. That revision requires the first two, earlier ones
 * do not know them. Only the server knows which argument a field repeats; the check is that it repeats one.
 */
final class HeaderAgreement {

    private static final String PARAM = "Mcp-Param-";
    private static final String SENTINEL = "=?base64?";
    private static final String SENTINEL_END = "?=";

    /** The first revision that requires the fields. */
    private static final String REVISION = "2026-07-28";

    private static final Pattern DATE = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");

    private HeaderAgreement() {}

    static void check(Headers headers, Json body) throws BadMessageException {
        checkParams(headers, body);
        List<String> methods = headers.all("Mcp-Method");
        List<String> names = headers.all("Mcp-Name");
        boolean required = isRequired(headers) || isRequired(body);
        if (methods.isEmpty() && names.isEmpty() && !required) {
            return;
        }
        if (methods.size() > 1 || names.size() > 1 || !(body instanceof Json.Obj message)) {
            throw mismatch("Mcp-Method and Mcp-Name describe a single message and may occur only once.");
        }
        String method = text(message.get("method"));
        if (required && method != null) {
            checkPresence(methods, names, method);
        }
        if (!methods.isEmpty() && !methods.getFirst().equals(method)) {
            throw mismatch("Mcp-Method is not the method of the message.");
        }
        if (!names.isEmpty() && !agrees(names.getFirst(), message)) {
            throw mismatch("Mcp-Name is not the name in the message.");
        }
    }

    private static void checkPresence(List<String> methods, List<String> names, String method)
            throws BadMessageException {
        if (methods.isEmpty()) {
            throw mismatch("Mcp-Method is missing, which this revision of MCP requires.");
        }
        boolean named = switch (method) {
            case Methods.TOOLS_CALL, Methods.PROMPTS_GET, Methods.RESOURCES_READ -> true;
            default -> false;
        };
        if (named && names.isEmpty()) {
            throw mismatch("Mcp-Name is missing, which this revision of MCP requires.");
        }
    }

    /** Whether a head names a revision that requires the fields. */
    static boolean isRequired(Headers headers) {
        return headers.all("MCP-Protocol-Version").stream().anyMatch(HeaderAgreement::requires);
    }

    private static boolean isRequired(Json body) {
        String version = body instanceof Json.Obj message
                        && message.get("params") instanceof Json.Obj params
                        && params.get("_meta") instanceof Json.Obj meta
                ? text(meta.get("io.modelcontextprotocol/protocolVersion"))
                : null;
        return version != null && requires(version);
    }

    /** Revisions are dates. */
    private static boolean requires(String version) {
        return version.compareTo(REVISION) >= 0 && DATE.matcher(version).matches();
    }

    /** Without a message, a server could act on these fields alone. */
    static void checkWithoutMessage(Headers headers) throws BadMessageException {
        if (headers.contains("Mcp-Method") || headers.contains("Mcp-Name")) {
            throw mismatch("Mcp-Method and Mcp-Name describe a message, but there is none.");
        }
    }

    /** Fields that repeat arguments: each must equal some argument. */
    private static void checkParams(Headers headers, Json body) throws BadMessageException {
        Set<String> scalars = null;
        for (int i = 0; i < headers.size(); i++) {
            if (!headers.name(i).regionMatches(true, 0, PARAM, 0, PARAM.length())) {
                continue;
            }
            if (scalars == null) {
                scalars = new HashSet<>();
                if (body instanceof Json.Obj message && message.get("params") instanceof Json.Obj params) {
                    collect(params.get("arguments"), scalars);
                }
            }
            if (!scalars.contains(decoded(headers.value(i)))) {
                throw mismatch("An Mcp-Param field is not the value of an argument.");
            }
        }
    }

    private static void collect(@Nullable Json value, Set<String> scalars) {
        switch (value) {
            case Json.Obj object -> object.members().values().forEach(member -> collect(member, scalars));
            case Json.Arr array -> array.items().forEach(item -> collect(item, scalars));
            case Json.Text text -> scalars.add(text.value());
            case Json.Num number -> scalars.add(number.spelling());
            case Json.Bool truth -> scalars.add(Boolean.toString(truth.value()));
            case Json.Null nothing -> scalars.add("null");
            case null -> {}
        }
    }

    private static boolean agrees(String name, Json.Obj message) {
        Json params = message.get("params");
        String method = text(message.get("method"));
        String member = switch (method == null ? "" : method) {
            case Methods.TOOLS_CALL, Methods.PROMPTS_GET -> "name";
            case Methods.RESOURCES_READ, Methods.RESOURCES_SUBSCRIBE, Methods.RESOURCES_UNSUBSCRIBE -> "uri";
            case Methods.TASKS_GET, Methods.TASKS_UPDATE, Methods.TASKS_CANCEL -> "taskId";
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
        return BadMessageException.headers(detail);
    }
}
