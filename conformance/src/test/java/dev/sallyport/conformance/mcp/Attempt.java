package dev.sallyport.conformance.mcp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A request that a workload tries.
 *
 * @param head request line and header lines; {@code AUTHORITY} stands for the server's
 * @param body the bytes that follow
 */
record Attempt(String name, String head, byte[] body, Refusal expected) {

    /** How it ought to end. */
    enum Refusal {
        /** A JSON-RPC error of the policy, for the call's own id. */
        DENIED,
        /** 400 with a JSON-RPC error without id. */
        UNREADABLE,
        /** Any status from 400, or an end of the connection without an answer. */
        REFUSED,
        /** 202, and nothing passes. */
        DROPPED,
        /** Nothing of it may be forbidden, and it passes as it is. */
        PASSES
    }

    /** A POST of JSON. */
    static Attempt post(String name, String body, Refusal expected) {
        return post(name, Wire.bytes(body), expected);
    }

    static Attempt post(String name, byte[] body, Refusal expected) {
        return new Attempt(
                name,
                "POST /mcp HTTP/1.1\r\nHost: AUTHORITY\r\nAccept: application/json, text/event-stream\r\n"
                        + "Content-Type: application/json\r\nContent-Length: " + body.length + "\r\n",
                body,
                expected);
    }

    /** With another value of a header that it has, or one more. */
    Attempt header(String name, String value) {
        StringBuilder changed = new StringBuilder();
        boolean found = false;
        for (String line : head.split("\r\n", -1)) {
            boolean same = line.regionMatches(true, 0, name + ":", 0, name.length() + 1);
            found |= same;
            changed.append(same ? name + ": " + value : line).append(line.isEmpty() ? "" : "\r\n");
        }
        return new Attempt(this.name, found ? changed.toString() : head + name + ": " + value + "\r\n", body, expected);
    }

    Attempt without(String name) {
        StringBuilder changed = new StringBuilder();
        Arrays.stream(head.split("\r\n"))
                .filter(line -> !line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                .forEach(line -> changed.append(line).append("\r\n"));
        return new Attempt(this.name, changed.toString(), body, expected);
    }

    /** With one more line, as it is. */
    Attempt line(String line) {
        return new Attempt(name, head + line + "\r\n", body, expected);
    }

    /** With another method and target. */
    Attempt request(String methodAndTarget) {
        return new Attempt(name, methodAndTarget + head.substring(head.indexOf(" HTTP/")), body, expected);
    }

    /** In chunks of that many bytes. */
    Attempt chunked(int size) {
        return new Attempt(
                name,
                without("Content-Length").head + "Transfer-Encoding: chunked\r\n",
                Wire.chunked(body, size),
                expected);
    }

    /** With the server's authority, and its port where the host is spelt in another way. */
    byte[] bytes(String authority, String port) {
        return new Attempt(name, head.replace("PORT", port), body, expected).bytes(authority);
    }

    byte[] bytes(String authority) {
        return Wire.join(
                (head.replace("AUTHORITY", authority) + "\r\n").getBytes(StandardCharsets.ISO_8859_1),
                new String(body, StandardCharsets.ISO_8859_1)
                        .replace("AUTHORITY", authority)
                        .getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public String toString() {
        return name;
    }
}
