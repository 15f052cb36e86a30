package dev.sallyport.conformance.mcp;

import static dev.sallyport.conformance.mcp.Attempt.Refusal.DENIED;
import static dev.sallyport.conformance.mcp.Attempt.Refusal.REFUSED;
import static dev.sallyport.conformance.mcp.Attempt.post;
import static dev.sallyport.conformance.mcp.EnvelopeAttempts.WIPE;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** Calls that are hidden in how a message travels: methods, targets, framing, headers that repeat or replace the body. */
final class TransportAttempts {

    private static final String ECHO = EnvelopeAttempts.call("echo");

    private TransportAttempts() {}

    private static Attempt get(String name, String target) {
        return new Attempt(
                name,
                "GET " + target + " HTTP/1.1\r\nHost: AUTHORITY\r\nAccept: text/event-stream\r\n",
                new byte[0],
                REFUSED);
    }

    private static final String QUERY = URLEncoder.encode(WIPE, StandardCharsets.UTF_8);

    static final List<Attempt> METHODS = List.of(
            post("PUT", WIPE, REFUSED).request("PUT /mcp"),
            post("PATCH", WIPE, REFUSED).request("PATCH /mcp"),
            post("DELETE with a body", WIPE, REFUSED).request("DELETE /mcp"),
            post("GET with a body", WIPE, REFUSED).request("GET /mcp"),
            post("OPTIONS with a body", WIPE, REFUSED).request("OPTIONS /mcp"),
            post("QUERY", WIPE, REFUSED).request("QUERY /mcp"),
            post("unknown method", WIPE, REFUSED).request("CALL /mcp"),
            post("method in lower case", WIPE, REFUSED).request("post /mcp"),
            post("PUT of a batch", "[" + WIPE + "]", REFUSED).request("PUT /mcp"),
            post("PUT of UTF-16", WIPE.getBytes(StandardCharsets.UTF_16), REFUSED)
                    .request("PUT /mcp"),
            post("PUT of gzip", CodingAttempts.gzip(Wire.bytes(WIPE)), REFUSED)
                    .request("PUT /mcp")
                    .line("Content-Encoding: gzip"),
            post("override of PUT", WIPE, REFUSED).request("PUT /mcp").line("X-HTTP-Method-Override: POST"),
            post("override of POST", WIPE, REFUSED).line("X-HTTP-Method-Override: GET"),
            post("chunked PUT", WIPE, REFUSED).request("PUT /mcp").chunked(10),
            get("message in the query", "/mcp?message=" + QUERY),
            get("members in the query", "/mcp?jsonrpc=2.0&id=7&method=tools/call&params=%7B%22name%22%3A%22wipe%22%7D"),
            get(
                    "Base64 in the query",
                    "/mcp?m="
                            + URLEncoder.encode(
                                    Base64.getEncoder().encodeToString(Wire.bytes(WIPE)), StandardCharsets.UTF_8)),
            post("message in a POST's query", "", REFUSED).request("POST /mcp?message=" + QUERY),
            get("WebSocket", "/mcp")
                    .line("Connection: Upgrade")
                    .line("Upgrade: websocket")
                    .line("Sec-WebSocket-Version: 13")
                    .line("Sec-WebSocket-Protocol: mcp")
                    .line("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
            get("upgrade to something else", "/mcp?message=" + QUERY)
                    .line("Connection: Upgrade")
                    .line("Upgrade: mcp"));

    /** The client has gone before the end that its length announces. */
    static Attempt cut() {
        return new Attempt(
                "shorter than it says", post("", WIPE + "  ", REFUSED).head(), Wire.bytes(WIPE), REFUSED);
    }

    /** Where policy asks for {@code /mcp} alone, and a server may understand other spellings of it. */
    static final List<Attempt> TARGETS = List.of(
            post("other path", WIPE, REFUSED).request("POST /other"),
            post("two slashes", WIPE, REFUSED).request("POST //mcp"),
            post("slash behind", WIPE, REFUSED).request("POST /mcp/"),
            post("path parameter", WIPE, REFUSED).request("POST /mcp;x=1"),
            post("encoded letter", WIPE, DENIED).request("POST /%6dcp"),
            post("upper case", WIPE, REFUSED).request("POST /MCP"),
            post("encoded slash", WIPE, REFUSED).request("POST /mcp%2f"),
            post("dot segment", WIPE, REFUSED).request("POST /x/../mcp"),
            post("encoded dot segment", WIPE, REFUSED).request("POST /x/%2e%2e/mcp"),
            post("single dot", WIPE, REFUSED).request("POST /./mcp"),
            post("encoded NUL", WIPE, REFUSED).request("POST /mcp%00"),
            post("backslash", WIPE, REFUSED).request("POST \\mcp"),
            post("encoded question mark", WIPE, REFUSED).request("POST /mcp%3Fx"),
            post("query", WIPE, DENIED).request("POST /mcp?a=b"),
            post("fragment", WIPE, REFUSED).request("POST /mcp#x"),
            post("absolute form", WIPE, DENIED).request("POST http://AUTHORITY/mcp"),
            post("absolute form with another Host", WIPE, DENIED)
                    .request("POST http://AUTHORITY/mcp")
                    .header("Host", "elsewhere.example"),
            post("Host in upper case", WIPE, DENIED).header("Host", "LOCALHOST:PORT"),
            post("Host with a dot", WIPE, DENIED).header("Host", "localhost.:PORT"),
            post("two Hosts", WIPE, REFUSED).line("Host: elsewhere.example"),
            post("X-Original-URL", WIPE, REFUSED).request("POST /other").line("X-Original-URL: /mcp"),
            post("tab in the request line", WIPE, REFUSED).request("POST\t/mcp"));

    private static final byte[] WIPE_BYTES = Wire.bytes(WIPE);
    private static final String SMUGGLED =
            "POST /mcp HTTP/1.1\r\nHost: AUTHORITY\r\nContent-Length: " + WIPE_BYTES.length + "\r\n\r\n" + WIPE;

    static final List<Attempt> FRAMING = List.of(
            post("byte by byte", WIPE, DENIED).chunked(1),
            post("chunk extensions", WIPE, DENIED).chunked(WIPE.length()),
            new Attempt(
                    "both lengths",
                    post("", WIPE, REFUSED).head() + "Transfer-Encoding: chunked\r\n",
                    Wire.join(Wire.bytes("0\r\n\r\n"), WIPE_BYTES),
                    REFUSED),
            post("two lengths", WIPE, REFUSED).line("Content-Length: 0"),
            post("transfer coding of its own", WIPE, REFUSED).line("Transfer-Encoding: identity"),
            post("gzip as a transfer coding", CodingAttempts.gzip(WIPE_BYTES), REFUSED)
                    .chunked(100)
                    .header("Transfer-Encoding", "gzip, chunked"),
            new Attempt("second request behind", post("", ECHO, REFUSED).head(), Wire.bytes(ECHO + SMUGGLED), DENIED),
            new Attempt(
                    "header that ends with a bare line feed",
                    post("", WIPE, REFUSED).head().replaceFirst("\r\nAccept", "\nAccept"),
                    WIPE_BYTES,
                    REFUSED),
            post("folded header", WIPE, REFUSED).line("X: a\r\n b"),
            post("space before a colon", WIPE, REFUSED).line("Content-Type : text/plain"),
            post("expectation", WIPE, DENIED).line("Expect: 100-continue"),
            new Attempt("HTTP/1.0", post("", WIPE, DENIED).head().replace("HTTP/1.1", "HTTP/1.0"), WIPE_BYTES, DENIED),
            post("upgrade to h2c", WIPE, DENIED)
                    .line("Connection: Upgrade, HTTP2-Settings")
                    .line("Upgrade: h2c")
                    .line("HTTP2-Settings: AAMAAABkAAQAAP__"),
            post("Connection names Content-Type", WIPE, DENIED).line("Connection: Content-Type"),
            post("Connection names Content-Encoding", CodingAttempts.gzip(WIPE_BYTES), REFUSED)
                    .line("Content-Encoding: gzip")
                    .line("Connection: Content-Encoding"));

    /** Revision 2026-07-28 repeats method and name in headers; a server may dispatch by them. */
    static final List<Attempt> STANDARD_HEADERS = List.of(
            post("Mcp-Name of another tool", ECHO, REFUSED)
                    .line("Mcp-Method: tools/call")
                    .line("Mcp-Name: wipe"),
            post("Mcp-Name in Base64", ECHO, REFUSED)
                    .line("Mcp-Method: tools/call")
                    .line("Mcp-Name: =?base64?d2lwZQ==?="),
            post("two Mcp-Names", ECHO, REFUSED)
                    .line("Mcp-Method: tools/call")
                    .line("Mcp-Name: echo")
                    .line("Mcp-Name: wipe"),
            post("Mcp-Method of a call", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}", REFUSED)
                    .line("Mcp-Method: tools/call")
                    .line("Mcp-Name: wipe"),
            post("headers without a body", "", REFUSED)
                    .line("Mcp-Method: tools/call")
                    .line("Mcp-Name: wipe"),
            post("headers on a GET", "", REFUSED)
                    .request("GET /mcp")
                    .line("Mcp-Method: tools/call")
                    .line("Mcp-Name: wipe"),
            post("headers that lie about a call", WIPE, REFUSED)
                    .line("Mcp-Method: ping")
                    .line("Mcp-Name: echo"),
            post("Mcp-Name with white space", ECHO, REFUSED)
                    .line("Mcp-Method: tools/call")
                    .line("Mcp-Name: =?base64?IHdpcGU=?="));
}
