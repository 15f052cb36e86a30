package dev.sallyport.conformance.mcp;

import static dev.sallyport.conformance.mcp.Attempt.Refusal.PASSES;
import static dev.sallyport.conformance.mcp.Attempt.post;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Messages that are unusual and within the rules. */
final class ControlGroup {

    private static final String ECHO = EnvelopeAttempts.call("echo");

    private ControlGroup() {}

    private static Attempt echo(String name, String arguments) {
        return post(name, ECHO.replace("\"arguments\":{}", "\"arguments\":" + arguments), PASSES);
    }

    private static Attempt message(String name, String members) {
        return post(name, "{\"jsonrpc\":\"2.0\"," + members + "}", PASSES);
    }

    static final List<Attempt> ALL = List.of(
            post("allowed call", ECHO, PASSES),
            post("without a type", ECHO, PASSES).without("Content-Type"),
            post("white space about", " \r\n\t" + ECHO.replace(":", " : ") + "\n\n", PASSES),
            post("escapes", ECHO.replace("tools/call", "t\\u006Fols\\/call").replace("echo", "ech\\u006f"), PASSES),
            post(
                    "members in another order",
                    "{\"params\":{\"arguments\":{},\"name\":\"echo\"},\"id\":7,\"method\":\"tools/call\",\"jsonrpc\":\"2.0\"}",
                    PASSES),
            post(
                    "unknown members",
                    ECHO.replace("{\"jsonrpc\"", "{\"x-trace\":[1,{\"method\":\"tools/call\"}],\"jsonrpc\""),
                    PASSES),
            post("id as text", ECHO.replace("\"id\":7", "\"id\":\"\\u00e9\\\"\""), PASSES),
            post("id longer than a double can say", ECHO.replace("\"id\":7", "\"id\":9007199254740993123"), PASSES),
            post("negative id", ECHO.replace("\"id\":7", "\"id\":-1"), PASSES),
            echo(
                    "forbidden names in arguments",
                    "{\"name\":\"wipe\",\"method\":\"tools/call\",\"params\":{\"name\":\"wipe\"}}"),
            echo("a call in an argument's text", "{\"text\":\"please send tools/call with name wipe\"}"),
            echo("case variants in arguments", "{\"a\":1,\"A\":2,\"Name\":3}"),
            echo("long number", "{\"n\":123456789012345678901234567890.123456789e-20}"),
            echo("emoji and astral characters", "{\"t\":\"\ud83d\ude80 \\ud83d\\ude80 \u05d0\u202e\"}"),
            echo("escaped controls", "{\"t\":\"\\u0000\\u001b\\u2028\"}"),
            echo("empty member name", "{\"\":{\"\":[]}}"),
            echo("some depth", "{\"a\":" + "[".repeat(60) + "]".repeat(60) + "}"),
            echo("half a mebibyte", "{\"t\":\"" + "a".repeat(512 << 10) + "\"}"),
            post(
                    "no arguments",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}",
                    PASSES),
            post("progress token", ECHO.replace("\"name\"", "\"_meta\":{\"progressToken\":\"p\"},\"name\""), PASSES),
            post("task", ECHO.replace("\"name\"", "\"task\":{\"ttl\":60000},\"name\""), PASSES),
            post(
                    "allowed arguments",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"send\",\"arguments\":{\"amount\":1.0,\"to\":\"friend@example.com\"}}}",
                    PASSES),
            post(
                    "allowed arguments, spelt otherwise",
                    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"send\",\"arguments\":{\"amount\":25e-1,\"to\":\"\\u0066riend@example.com\"}}}",
                    PASSES),
            post("name beyond ASCII", EnvelopeAttempts.call("gr\u00f6\u00dfe"), PASSES),
            post("name beyond ASCII, in its header", EnvelopeAttempts.call("gr\u00f6\u00dfe"), PASSES)
                    .line("Mcp-Protocol-Version: 2026-07-28")
                    .line("Mcp-Method: tools/call")
                    .line("Mcp-Name: =?base64?Z3LDtsOfZQ==?="),
            post("standard headers", ECHO, PASSES)
                    .line("Mcp-Method: tools/call")
                    .line("Mcp-Name: echo"),
            message(
                    "response to sampling",
                    "\"id\":3,\"result\":{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"wipe\"},\"model\":\"m\"}"),
            message(
                    "error response",
                    "\"id\":3,\"error\":{\"code\":-1,\"message\":\"no\",\"data\":{\"method\":\"tools/call\"}}"),
            message("list", "\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"x\"}"),
            message(
                    "cancellation",
                    "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7,\"reason\":\"wipe\"}"),
            message("method of a vendor", "\"id\":1,\"method\":\"x-vendor/tools\",\"params\":{\"name\":\"wipe\"}"),
            message("prompt of that name", "\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"wipe\"}"),
            message("resource", "\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"file:///wipe\"}"),
            message("params left out", "\"id\":1,\"method\":\"ping\""),
            post("batch", "[" + ECHO + " ,\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]", PASSES),
            post("gzip", CodingAttempts.gzip(Wire.bytes(ECHO)), PASSES).line("Content-Encoding: gzip"),
            post("brotli", CodingAttempts.brotli(Wire.bytes(ECHO)), PASSES).line("Content-Encoding: br"),
            post("charset of UTF-8", ECHO, PASSES).header("Content-Type", "application/json; charset=utf-8"),
            post(
                            "OAuth's form",
                            "grant_type=authorization_code&code=abc&resource=https%3A%2F%2Fexample.com%2Fmcp",
                            PASSES)
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .request("POST /token"),
            post("upload", "--x\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nhello\r\n--x--\r\n", PASSES)
                    .header("Content-Type", "multipart/form-data; boundary=x")
                    .request("POST /upload"),
            post("PUT of a file", "name,amount\nwipe,1\n", PASSES)
                    .header("Content-Type", "text/csv")
                    .request("PUT /files/1"),
            post("end of a session", "", PASSES)
                    .request("DELETE /mcp")
                    .line("Mcp-Session-Id: abc")
                    .without("Content-Type"),
            new Attempt(
                    "listener",
                    "GET /mcp HTTP/1.1\r\nHost: AUTHORITY\r\nAccept: text/event-stream\r\nLast-Event-ID: 4\r\n",
                    new byte[0],
                    PASSES));

    private static final String FORM = URLEncoder.encode(EnvelopeAttempts.WIPE, StandardCharsets.UTF_8);
    private static final String PART =
            "--x\r\nContent-Disposition: form-data; name=\"m\"\r\n\r\n" + EnvelopeAttempts.WIPE + "\r\n--x--\r\n";

    /** A call in a form is none: the specification lets what is no JSON pass, and has it noted. */
    static final List<Attempt> FORMS = List.of(
            post("JSON in a form", "message=" + FORM, PASSES)
                    .header("Content-Type", "application/x-www-FORM-urlencoded"),
            post("JSON in a part", PART, PASSES).header("Content-Type", "multipart/FORM-data; boundary=x"),
            post("JSON in a related part", PART, PASSES).header("Content-Type", "multipart/related; boundary=x"));
}
