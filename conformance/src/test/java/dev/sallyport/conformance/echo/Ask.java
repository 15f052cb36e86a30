package dev.sallyport.conformance.echo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A request as the workload sends it.
 *
 * @param fields each as {@code Name: value}
 * @param body empty for none
 * @param trailers each as {@code Name: value}
 * @param message what is sent over a WebSocket once it is open; empty for nothing
 */
record Ask(String method, String target, List<String> fields, String body, List<String> trailers, String message) {

    static Ask get(String target, String... fields) {
        return new Ask("GET", target, List.of(fields), "", List.of(), "");
    }

    static Ask post(String target, String body, String... fields) {
        return new Ask("POST", target, List.of(fields), body, List.of(), "");
    }

    Ask withTrailer(String trailer) {
        return new Ask(method, target, fields, body, List.of(trailer), message);
    }

    Ask withMessage(String text) {
        return new Ask(method, target, fields, body, trailers, text);
    }

    /** Whether the connection can become a WebSocket with it. */
    boolean opens() {
        return body.isEmpty() && trailers.isEmpty();
    }

    String http1(String authority, boolean webSocket) {
        StringBuilder out = new StringBuilder(256);
        out.append(method)
                .append(' ')
                .append(target)
                .append(" HTTP/1.1\r\nHost: ")
                .append(authority);
        out.append("\r\n");
        fields.forEach(field -> out.append(field).append("\r\n"));
        if (webSocket) {
            out.append("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n")
                    .append("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
                    .append("Sec-WebSocket-Extensions: permessage-deflate\r\n");
        } else {
            out.append("Connection: TE\r\nTE: trailers\r\n");
        }
        if (!trailers.isEmpty()) {
            out.append("Transfer-Encoding: chunked\r\n\r\n");
            if (!body.isEmpty()) {
                out.append(Integer.toHexString(body.length()))
                        .append("\r\n")
                        .append(body)
                        .append("\r\n");
            }
            out.append("0\r\n");
            trailers.forEach(trailer -> out.append(trailer).append("\r\n"));
            return out.append("\r\n").toString();
        }
        if (!body.isEmpty()) {
            out.append("Content-Length: ").append(body.length()).append("\r\n");
        }
        return out.append("\r\n").append(body).toString();
    }

    void http2(Http2Line to, String authority) throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                ":method", method, ":scheme", "http", ":path", target, ":authority", authority, "te", "trailers"));
        add(fields, lines);
        to.fields(body.isEmpty() && trailers.isEmpty(), lines.toArray(String[]::new));
        if (!body.isEmpty()) {
            to.data(trailers.isEmpty(), body);
        }
        if (!trailers.isEmpty()) {
            List<String> last = new ArrayList<>();
            add(trailers, last);
            to.fields(true, last.toArray(String[]::new));
        }
    }

    /** The same as a call of gRPC of a client that takes gzip, with this message. */
    void grpc(Http2Line to, String authority, boolean secure, String call) throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                ":method",
                "POST",
                ":scheme",
                secure ? "https" : "http",
                ":path",
                target,
                ":authority",
                authority,
                "te",
                "trailers",
                "content-type",
                "application/grpc+proto",
                "grpc-accept-encoding",
                "identity,deflate,gzip"));
        add(fields, lines);
        to.fields(false, lines.toArray(String[]::new));
        to.data(trailers.isEmpty(), call);
        if (!trailers.isEmpty()) {
            List<String> last = new ArrayList<>();
            add(trailers, last);
            to.fields(true, last.toArray(String[]::new));
        }
    }

    private static void add(List<String> fields, List<String> lines) {
        for (String field : fields) {
            int colon = field.indexOf(':');
            lines.add(field.substring(0, colon).toLowerCase(Locale.ROOT));
            lines.add(field.substring(colon + 1).strip());
        }
    }
}
