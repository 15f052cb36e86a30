package dev.sallyport.conformance.echo;

import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.Encoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where in a response an origin writes something.
 *
 * @param name for messages
 * @param protocol that of the exchange
 * @param fits which texts can stand there
 * @param program sends the response
 */
record Place(String name, Protocol protocol, Fits fits, Program program) {

    enum Protocol {
        HTTP1,
        HTTP2,
        /** A call of gRPC over HTTP/2 without TLS. */
        GRPC,
        /** The same in a tunnel, with TLS on both sides of the proxy. */
        GRPC_TLS,
        /** The connection is open when the program begins. */
        WEBSOCKET,
        /** The program opens it. */
        HANDSHAKE;

        boolean isGrpc() {
            return this == GRPC || this == GRPC_TLS;
        }
    }

    /** Which texts can stand in a place. */
    enum Fits {
        ANY,
        /** Text of a message. */
        ASCII,
        /** A control frame. */
        SHORT,
        /** The value of a field. */
        FIELD,
        /** Its name. */
        TOKEN;

        boolean takes(String text) {
            return switch (this) {
                case ANY -> true;
                case ASCII -> text.chars().allMatch(c -> c < 0x80);
                case SHORT -> text.length() <= 100 && text.chars().allMatch(c -> c < 0x80);
                case FIELD -> text.chars().allMatch(c -> c >= ' ' && c < 0x7f) && text.equals(text.strip());
                case TOKEN -> text.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
            };
        }
    }

    /** What the origin sends once it has read a request. */
    @FunctionalInterface
    interface Program {

        /**
         * @param line with which the answer is sent
         * @param http2 the same over HTTP/2, else null
         * @param head that of the request
         */
        void answer(Line line, @Nullable Http2Line http2, String head, String text) throws IOException;
    }

    private interface Http1 {
        void answer(Line line, String text) throws IOException;
    }

    private interface Http2 {
        void answer(Http2Line line, String text) throws IOException;
    }

    private interface Messages {
        String of(String text);
    }

    /** All of them. */
    static final List<Place> ALL = all();

    private static List<Place> all() {
        List<Place> all = new ArrayList<>();
        heads(all);
        bodies(all);
        chunks(all);
        http2(all);
        GrpcPlaces.add(all);
        messages(all);
        return List.copyOf(all);
    }

    private static void heads(List<Place> all) {
        all.add(head("reason", Fits.FIELD, text -> "HTTP/1.1 200 so " + text + "\r\n"));
        all.add(head("reason of an error", Fits.FIELD, text -> "HTTP/1.1 401 " + text + "\r\n"));
        all.add(head("field", Fits.FIELD, text -> "HTTP/1.1 200 OK\r\nX-Echo: " + text + "\r\n"));
        all.add(head(
                "field among others",
                Fits.FIELD,
                text -> "HTTP/1.1 302 Found\r\nLocation: https://e.example/a?t=" + text + "&u=1#f\r\nSet-Cookie: a="
                        + text + "; Path=/\r\n"));
        all.add(head("name of a field", Fits.TOKEN, text -> "HTTP/1.1 200 OK\r\nX" + text + ": 1\r\n"));
        all.add(http1("early hint", Fits.FIELD, (line, text) -> {
            line.send("HTTP/1.1 103 Early " + text + "\r\nLink: <" + text + ">; rel=preload\r\n\r\n");
            line.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }));
        all.add(http1(
                "head of an answer without content",
                Fits.FIELD,
                (line, text) -> line.send("HTTP/1.1 304 Not Modified\r\nX-Tag: <" + text + ">\r\n\r\n")));
    }

    private static void bodies(List<Place> all) {
        for (String type : List.of(
                "text/plain",
                "application/json; charset=utf-8",
                "text/html",
                "application/xml",
                "application/x-www-form-urlencoded",
                "application/octet-stream",
                "")) {
            all.add(http1(
                    "body, " + (type.isEmpty() ? "no type" : type),
                    Fits.ANY,
                    (line, text) -> line.send(typed("200 OK", type, text) + text)));
        }
        all.add(http1("body of an error", Fits.ANY, (line, text) -> {
            String body = "{\"error\":\"bad token " + text + "\"}";
            line.send(typed("403 Forbidden", "application/json", body) + body);
        }));
        all.add(http1("body to the end of the connection", Fits.ANY, (line, text) -> {
            line.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n<" + text + ">");
            line.close();
        }));
        for (String coding : List.of("gzip", "deflate", "br", "zstd", "gzip, br")) {
            all.add(http1("body, " + coding, Fits.ANY, (line, text) -> {
                String body = encoded(coding, "before " + text + " after");
                line.send("HTTP/1.1 200 OK\r\nContent-Encoding: " + coding + "\r\nContent-Length: " + body.length()
                        + "\r\n\r\n" + body);
            }));
        }
    }

    private static void chunks(List<Place> all) {
        all.add(chunked("chunks of one byte", 1));
        all.add(chunked("chunks of seven bytes", 7));
        all.add(http1("chunks, cut before the last byte", Fits.ANY, (line, text) -> {
            line.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n");
            line.send(chunk(text.substring(0, text.length() - 1)));
            line.send(chunk(text.substring(text.length() - 1) + " "));
            line.send("0\r\n\r\n");
        }));
        all.add(http1("events", Fits.FIELD, (line, text) -> {
            line.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            line.send(chunk("data: " + text + "\n\n"));
            line.send(chunk("event: x\ndata: {\"a\":\"" + text + "\"}\n\n"));
            line.send("0\r\n\r\n");
        }));
        all.add(http1("trailer", Fits.FIELD, (line, text) -> {
            line.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Last\r\n\r\n" + chunk("hello"));
            line.send("0\r\nX-Last: " + text + "\r\n\r\n");
        }));
        all.add(http1(
                "trailer of nothing",
                Fits.FIELD,
                (line, text) -> line.send(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Last\r\n\r\n0\r\nX-Last: " + text
                                + "\r\n\r\n")));
    }

    private static void http2(List<Place> all) {
        all.add(http2("HTTP/2 field", Fits.FIELD, (line, text) -> line.fields(true, ":status", "200", "x-echo", text)));
        all.add(http2("HTTP/2 early hint", Fits.FIELD, (line, text) -> {
            line.fields(false, ":status", "103", "link", "<" + text + ">; rel=preload");
            line.fields(true, ":status", "204");
        }));
        all.add(http2("HTTP/2 content", Fits.ANY, (line, text) -> {
            line.fields(false, ":status", "200", "content-type", "text/plain");
            for (int from = 0; from < text.length(); from += 23) {
                line.data(false, text.substring(from, Math.min(text.length(), from + 23)));
            }
            line.data(true, "");
        }));
        all.add(http2("HTTP/2 trailer", Fits.FIELD, (line, text) -> {
            line.fields(false, ":status", "200");
            line.data(false, "hello");
            line.fields(true, "x-last", text);
        }));
        all.add(http2("HTTP/2 trailer behind length 0", Fits.FIELD, (line, text) -> {
            line.fields(false, ":status", "200", "content-length", "0");
            line.fields(true, "x-last", text);
        }));
    }

    private static void messages(List<Place> all) {
        all.add(message("text message", Fits.ASCII, text -> Frames.whole(Frames.TEXT, text)));
        all.add(message("text message in pieces", Fits.ASCII, text -> Frames.halves(Frames.TEXT, "say " + text)));
        all.add(compressed("compressed message", Fits.ASCII, Frames.TEXT));
        all.add(message("binary message", Fits.ANY, text -> Frames.whole(Frames.BINARY, "\u0007" + text + "\u0001")));
        all.add(compressed("compressed binary message", Fits.ANY, Frames.BINARY));
        all.add(message("ping", Fits.SHORT, text -> Frames.whole(Frames.PING, text)));
        all.add(message("pong", Fits.SHORT, text -> Frames.whole(Frames.PONG, text)));
        all.add(message("reason of a close", Fits.SHORT, Frames::close));
        all.add(new Place(
                "field of a handshake",
                Protocol.HANDSHAKE,
                Fits.FIELD,
                (line, http2, head, text) ->
                        line.send(Frames.agreement(head, "X-Echo: " + text + "\r\n") + Frames.close(""))));
    }

    private static Place head(String name, Fits fits, Messages head) {
        return http1(name, fits, (line, text) -> line.send(head.of(text) + "Content-Length: 0\r\n\r\n"));
    }

    private static Place http1(String name, Fits fits, Http1 program) {
        return new Place(name, Protocol.HTTP1, fits, (line, http2, head, text) -> program.answer(line, text));
    }

    private static Place chunked(String name, int size) {
        return http1(name, Fits.ANY, (line, text) -> {
            line.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int from = 0; from < text.length(); from += size) {
                line.send(chunk(text.substring(from, Math.min(text.length(), from + size))));
            }
            line.send("0\r\n\r\n");
        });
    }

    private static Place http2(String name, Fits fits, Http2 program) {
        return new Place(
                name,
                Protocol.HTTP2,
                fits,
                (line, http2, head, text) -> program.answer(Objects.requireNonNull(http2), text));
    }

    private static Place message(String name, Fits fits, Messages frames) {
        return new Place(
                name,
                Protocol.WEBSOCKET,
                fits,
                (line, http2, head, text) -> line.send(frames.of(text) + Frames.close("")));
    }

    private static Place compressed(String name, Fits fits, int opcode) {
        return new Place(
                name,
                Protocol.WEBSOCKET,
                fits,
                (line, http2, head, text) ->
                        line.send((Frames.compresses(head) ? Frames.deflated(opcode, text) : Frames.whole(opcode, text))
                                + Frames.close("")));
    }

    private static String typed(String status, String type, String body) {
        String field = type.isEmpty() ? "" : "Content-Type: " + type + "\r\n";
        return "HTTP/1.1 " + status + "\r\n" + field + "Content-Length: " + body.length() + "\r\n\r\n";
    }

    private static String chunk(String content) {
        return content.isEmpty() ? "" : Integer.toHexString(content.length()) + "\r\n" + content + "\r\n";
    }

    /** A text in a content coding. */
    static String encoded(String coding, String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (Encoder encoder = Codings.parse(coding).encoder()) {
            encoder.write(ByteBuffer.wrap(Line.bytes(text)), bytes -> copy(bytes, out));
            encoder.end(bytes -> copy(bytes, out));
        }
        return Line.text(out.toByteArray());
    }

    private static void copy(ByteBuffer bytes, ByteArrayOutputStream out) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        out.writeBytes(copy);
    }

    @Override
    public String toString() {
        return name;
    }
}
