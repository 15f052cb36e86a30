package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.Names;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One message of JSON-RPC 2.0 that a client sends, as MCP restricts it.
 *
 * @param json the whole
 * @param id null for notifications
 * @param method empty for responses
 * @param params null when there are none
 */
record Message(
        Json.Obj json,
        @Nullable Json id,
        String method,
        @Nullable Json params) {

    private static final Names ENVELOPE = Names.of("jsonrpc", "id", "method", "params", "result", "error");

    private static final Set<String> JUDGED = Set.of(
            Methods.TOOLS_CALL,
            Methods.TOOLS_LIST,
            Methods.RESOURCES_LIST,
            Methods.TEMPLATES_LIST,
            Methods.RESOURCES_READ,
            Methods.RESOURCES_SUBSCRIBE,
            Methods.RESOURCES_UNSUBSCRIBE,
            Methods.PROMPTS_LIST,
            Methods.PROMPTS_GET,
            Methods.COMPLETE);

    /** The characters of methods, extensions included; some servers decode others or cut the method off at them. */
    private static final Pattern METHOD = Pattern.compile("[A-Za-z0-9_$./:-]*");

    private static final Set<String> JUDGED_LETTERS =
            JUDGED.stream().map(Message::letters).collect(Collectors.toUnmodifiableSet());

    static Message of(Json value) throws BadMessageException {
        if (!(value instanceof Json.Obj json)) {
            throw BadMessageException.invalid("A message is a JSON object.");
        }
        if (ENVELOPE.resembledIn(json)) {
            throw BadMessageException.invalid("A member is spelled almost like one of JSON-RPC.");
        }
        if (!(json.get("jsonrpc") instanceof Json.Text version)
                || !version.value().equals("2.0")) {
            throw BadMessageException.invalid("The member jsonrpc is not \"2.0\".");
        }
        return json.get("method") == null ? response(json) : request(json);
    }

    private static Message request(Json.Obj json) throws BadMessageException {
        if (json.get("result") != null || json.get("error") != null) {
            throw BadMessageException.invalid("A message is a request and a response at once.");
        }
        if (!(json.get("method") instanceof Json.Text method)) {
            throw BadMessageException.invalid("The method is not a string.");
        }
        Json id = json.get("id");
        if (id != null && !identifies(id)) {
            throw BadMessageException.invalid("The id is neither a string nor an integer.");
        }
        Json params = json.get("params") instanceof Json.Null ? null : json.get("params");
        if (params != null && !(params instanceof Json.Obj) && !(params instanceof Json.Arr)) {
            throw BadMessageException.invalid("The params are neither an object nor an array.");
        }
        String name = method.value();
        if (!METHOD.matcher(name).matches()) {
            throw BadMessageException.invalid("The method has invalid characters.");
        }
        if (!JUDGED.contains(name) && almostJudged(name)) {
            throw BadMessageException.invalid("The method is spelled almost like one that is judged.");
        }
        return new Message(json, id, name, params);
    }

    private static Message response(Json.Obj json) throws BadMessageException {
        Json result = json.get("result");
        Json error = json.get("error");
        // Libraries that write all members write null for the one that there is not; a result may be null itself.
        boolean failed = error != null && !(error instanceof Json.Null && result != null);
        boolean succeeded = result != null && !(result instanceof Json.Null && failed);
        if (succeeded == failed) {
            throw BadMessageException.invalid("A message has neither a method nor exactly one of result and error.");
        }
        Json id = json.get("id");
        boolean unknown = (id == null || id instanceof Json.Null) && failed;
        if (!unknown && (id == null || !identifies(id))) {
            throw BadMessageException.invalid("The id is neither a string nor an integer.");
        }
        return new Message(json, id, "", null);
    }

    /** Whether a value may identify a request. */
    static boolean identifies(Json id) {
        return id instanceof Json.Text || (id instanceof Json.Num number && number.integer());
    }

    /** Whether a lenient server might take a method for a judged one; also true of the judged ones themselves. */
    static boolean almostJudged(String method) {
        return JUDGED_LETTERS.contains(letters(Names.fold(method)));
    }

    private static String letters(String method) {
        StringBuilder letters = new StringBuilder(method.length());
        method.codePoints().filter(Character::isLetterOrDigit).forEach(letters::appendCodePoint);
        return letters.toString();
    }

    /** Whether policies judge the method; also true when there is none. */
    boolean isKnown() {
        return method.isEmpty() || JUDGED.contains(method);
    }

    boolean isRequest() {
        return id != null && !method.isEmpty();
    }
}
