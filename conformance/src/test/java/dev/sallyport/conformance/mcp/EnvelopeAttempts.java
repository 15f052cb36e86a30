package dev.sallyport.conformance.mcp;

import static dev.sallyport.conformance.mcp.Attempt.Refusal.DENIED;
import static dev.sallyport.conformance.mcp.Attempt.Refusal.DROPPED;
import static dev.sallyport.conformance.mcp.Attempt.Refusal.REFUSED;
import static dev.sallyport.conformance.mcp.Attempt.Refusal.UNREADABLE;
import static dev.sallyport.conformance.mcp.Attempt.post;

import java.util.List;

/** Calls that are hidden in the message's own form: members, methods, names, arguments, batches. */
final class EnvelopeAttempts {

    static final String WIPE = call("wipe");

    private EnvelopeAttempts() {}

    static String call(String tool) {
        return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":{}}}";
    }

    private static String method(String method) {
        return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":" + method
                + ",\"params\":{\"name\":\"wipe\",\"arguments\":{}}}";
    }

    private static String envelope(String members) {
        return "{\"jsonrpc\":\"2.0\",\"id\":7," + members + "}";
    }

    private static String send(String arguments) {
        return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"send\",\"arguments\":"
                + arguments + "}}";
    }

    private static final String PARAMS = "\"params\":{\"name\":\"wipe\",\"arguments\":{}}";

    static final List<Attempt> MEMBERS = List.of(
            post("plain call", WIPE, DENIED),
            post(
                    "duplicate method, harmless first",
                    envelope("\"method\":\"ping\",\"method\":\"tools/call\"," + PARAMS),
                    UNREADABLE),
            post(
                    "duplicate method, harmless last",
                    envelope("\"method\":\"tools/call\",\"method\":\"ping\"," + PARAMS),
                    UNREADABLE),
            post(
                    "duplicate method, escaped",
                    envelope("\"method\":\"ping\",\"m\\u0065thod\":\"tools/call\"," + PARAMS),
                    UNREADABLE),
            post(
                    "escaped member names and values",
                    envelope("\"\\u006dethod\":\"tools\\u002fcall\",\"params\":{\"n\\u0061me\":\"w\\u0069pe\"}"),
                    DENIED),
            post("escaped solidus", method("\"tools\\/call\""), DENIED),
            post(
                    "duplicate params",
                    envelope("\"method\":\"tools/call\"," + PARAMS + ",\"params\":{\"name\":\"echo\"}"),
                    UNREADABLE),
            post(
                    "duplicate params, forbidden last",
                    envelope("\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}," + PARAMS),
                    UNREADABLE),
            post(
                    "duplicate name",
                    envelope("\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"name\":\"wipe\"}"),
                    UNREADABLE),
            post(
                    "duplicate name, escaped",
                    envelope("\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"\\u006eame\":\"wipe\"}"),
                    UNREADABLE),
            post(
                    "duplicate name, upper-case escape",
                    envelope("\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"na\\u006De\":\"wipe\"}"),
                    UNREADABLE),
            post("Method beside method", envelope("\"method\":\"ping\",\"Method\":\"tools/call\"," + PARAMS), REFUSED),
            post("METHOD alone", envelope("\"METHOD\":\"tools/call\"," + PARAMS), REFUSED),
            post(
                    "Params beside params",
                    envelope("\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"},\"Params\":{\"name\":\"wipe\"}"),
                    REFUSED),
            post("Params alone", envelope("\"method\":\"tools/call\",\"Params\":{\"name\":\"wipe\"}"), REFUSED),
            post(
                    "params with a long s",
                    envelope(
                            "\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"},\"param\u017f\":{\"name\":\"wipe\"}"),
                    REFUSED),
            post(
                    "Name beside name",
                    envelope("\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"Name\":\"wipe\"}"),
                    REFUSED),
            post(
                    "NAME first",
                    envelope("\"method\":\"tools/call\",\"params\":{\"NAME\":\"wipe\",\"name\":\"echo\"}"),
                    REFUSED),
            post(
                    "full-width name",
                    envelope(
                            "\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"\uff4e\uff41\uff4d\uff45\":\"wipe\"}"),
                    REFUSED),
            post(
                    "name with a space",
                    envelope("\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\" name\":\"wipe\"}"),
                    REFUSED),
            post(
                    "method with a zero-width space",
                    envelope("\"method\":\"ping\",\"method\u200b\":\"tools/call\"," + PARAMS),
                    REFUSED),
            post("params by position", envelope("\"method\":\"tools/call\",\"params\":[\"wipe\",{}]"), REFUSED),
            post(
                    "params by position, an object",
                    envelope("\"method\":\"tools/call\",\"params\":[{\"name\":\"wipe\"}]"),
                    REFUSED),
            post(
                    "params as text",
                    envelope("\"method\":\"tools/call\",\"params\":\"{\\\"name\\\":\\\"wipe\\\"}\""),
                    REFUSED),
            post(
                    "response and request at once",
                    envelope("\"result\":{},\"method\":\"tools/call\"," + PARAMS),
                    REFUSED),
            post(
                    "error and request at once",
                    envelope("\"error\":{\"code\":1,\"message\":\"x\"},\"method\":\"tools/call\"," + PARAMS),
                    REFUSED),
            post("Result and request at once", envelope("\"Result\":{},\"method\":\"tools/call\"," + PARAMS), REFUSED),
            post("no jsonrpc", "{\"id\":7,\"method\":\"tools/call\"," + PARAMS + "}", REFUSED),
            post("jsonrpc 1.0", "{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"tools/call\"," + PARAMS + "}", REFUSED),
            post("jsonrpc as a number", "{\"jsonrpc\":2.0,\"id\":7,\"method\":\"tools/call\"," + PARAMS + "}", REFUSED),
            post("notification", "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"," + PARAMS + "}", DROPPED),
            post("id null", "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"tools/call\"," + PARAMS + "}", REFUSED),
            post("id object", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/call\"," + PARAMS + "}", REFUSED),
            post("id array", "{\"jsonrpc\":\"2.0\",\"id\":[7],\"method\":\"tools/call\"," + PARAMS + "}", REFUSED),
            post("id true", "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"tools/call\"," + PARAMS + "}", REFUSED),
            post(
                    "duplicate id",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"id\":8,\"method\":\"tools/call\"," + PARAMS + "}",
                    UNREADABLE),
            post("message within a string", "\"" + WIPE.replace("\"", "\\\"") + "\"", REFUSED));

    static final List<Attempt> METHODS = List.of(
            post("method in upper case", method("\"TOOLS/CALL\""), REFUSED),
            post("method capitalised", method("\"Tools/Call\""), REFUSED),
            post("method with a space before", method("\" tools/call\""), REFUSED),
            post("method with a line end", method("\"tools/call\\n\""), REFUSED),
            post("method with a tab", method("\"tools/\\tcall\""), REFUSED),
            post("method with a NUL", method("\"tools/call\\u0000\""), REFUSED),
            post("method with a zero-width joiner", method("\"tools/\u200dcall\""), REFUSED),
            post("method with a byte order mark", method("\"\ufefftools/call\""), REFUSED),
            post("method with a Cyrillic o", method("\"t\u043eols/call\""), REFUSED),
            post("method in full width", method("\"\uff54\uff4f\uff4f\uff4c\uff53/call\""), REFUSED),
            post("method with a division slash", method("\"tools\u2215call\""), REFUSED),
            post("method with a backslash", method("\"tools\\\\call\""), REFUSED),
            post("method percent-encoded", method("\"tools%2Fcall\""), REFUSED),
            post("method with two slashes", method("\"tools//call\""), REFUSED),
            post("method with a long s", method("\"tool\u017f/call\""), REFUSED),
            post("method as an array", method("[\"tools/call\"]"), REFUSED),
            post("method as an object", method("{\"tools/call\":1}"), REFUSED),
            post("method cut by a NUL", method("\"tools/call\\u0000/x\""), REFUSED));

    static final List<Attempt> NAMES = List.of(
            post("name in upper case", call("WIPE"), DENIED),
            post("name with a space after", call("wipe "), DENIED),
            post("name with a no-break space", call("\u00a0wipe"), DENIED),
            post("name with a zero-width space", call("wi\u200bpe"), DENIED),
            post("name with a soft hyphen", call("wi\u00adpe"), DENIED),
            post("name in full width", call("\uff57\uff49\uff50\uff45"), DENIED),
            post("name with a Cyrillic i", call("w\u0456pe"), DENIED),
            post("name with a combining mark", call("wipe\u0301"), DENIED),
            post("name with a NUL", call("wipe\\u0000"), DENIED),
            post("allowed name behind a NUL", call("wipe\\u0000echo"), DENIED),
            post("name with a lone surrogate", call("wipe\\ud800"), REFUSED),
            post(
                    "name as an array",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":[\"wipe\"]}}",
                    REFUSED),
            post(
                    "name as an object",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":{\"echo\":\"wipe\"}}}",
                    REFUSED),
            post(
                    "arguments before the name",
                    "{\"params\":{\"arguments\":{\"name\":\"echo\"},\"name\":\"wipe\"},\"method\":\"tools/call\",\"id\":7,\"jsonrpc\":\"2.0\"}",
                    DENIED),
            post(
                    "listed name in arguments only",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"_meta\":{\"name\":\"echo\"},\"name\":\"wipe\",\"arguments\":{\"name\":\"echo\"}}}",
                    DENIED),
            post(
                    "id longer than a double can say",
                    WIPE.replace("\"id\":7", "\"id\":123456789012345678901234567890"),
                    DENIED));

    static final List<Attempt> ARGUMENTS = List.of(
            post("another value", send("{\"to\":\"foe@example.com\",\"amount\":1}"), DENIED),
            post(
                    "duplicate argument",
                    send("{\"to\":\"foe@example.com\",\"to\":\"friend@example.com\",\"amount\":1}"),
                    UNREADABLE),
            post(
                    "duplicate argument, escaped",
                    send("{\"to\":\"friend@example.com\",\"t\\u006f\":\"foe@example.com\",\"amount\":1}"),
                    UNREADABLE),
            post(
                    "duplicate arguments",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"send\",\"arguments\":{\"to\":\"friend@example.com\",\"amount\":1},\"arguments\":{\"to\":\"foe@example.com\"}}}",
                    UNREADABLE),
            post(
                    "Arguments beside arguments",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"send\",\"arguments\":{\"to\":\"friend@example.com\",\"amount\":1},\"Arguments\":{\"to\":\"foe@example.com\"}}}",
                    REFUSED),
            post(
                    "To beside to",
                    send("{\"to\":\"friend@example.com\",\"To\":\"foe@example.com\",\"amount\":1}"),
                    REFUSED),
            post(
                    "value in an array",
                    send("{\"to\":[\"friend@example.com\",\"foe@example.com\"],\"amount\":1}"),
                    DENIED),
            post(
                    "value with a NUL",
                    send("{\"to\":\"friend@example.com\\u0000,foe@example.com\",\"amount\":1}"),
                    DENIED),
            post("missing argument", send("{\"amount\":100}"), DENIED),
            post("number as text", send("{\"to\":\"friend@example.com\",\"amount\":\"1e9\"}"), DENIED),
            post("number in another spelling", send("{\"to\":\"friend@example.com\",\"amount\":0.1E3}"), DENIED),
            post("huge exponent", send("{\"to\":\"friend@example.com\",\"amount\":1e999999999}"), REFUSED),
            post("number with a leading zero", send("{\"to\":\"friend@example.com\",\"amount\":0x64}"), UNREADABLE),
            post("arguments as text", send("\"{\\\"to\\\":\\\"foe@example.com\\\"}\""), REFUSED),
            post("arguments as an array", send("[\"foe@example.com\"]"), REFUSED),
            post(
                    "no arguments",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"send\",\"Arguments\":{\"to\":\"foe@example.com\"}}}",
                    REFUSED));

    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

    static final List<Attempt> BATCHES = List.of(
            post("only item of a batch", "[" + WIPE + "]", DENIED),
            post("nested batch", "[[" + WIPE + "]]", REFUSED),
            post("batch within an allowed batch", "[" + PING + ",[" + WIPE + "]]", REFUSED),
            post("empty batch", "[]", UNREADABLE),
            post("batch of a string", "[\"" + WIPE.replace("\"", "\\\"") + "\"]", REFUSED),
            post("batch with a comma too many", "[" + WIPE + ",]", UNREADABLE),
            post("batch that does not end", "[" + WIPE, UNREADABLE),
            post(
                    "batch with a hidden duplicate",
                    "[" + PING + "," + WIPE.replace("\"id\":7", "\"id\":7,\"method\":\"ping\"") + "]",
                    UNREADABLE),
            post("batch of members", "{\"0\":" + WIPE + "}", REFUSED));
}
