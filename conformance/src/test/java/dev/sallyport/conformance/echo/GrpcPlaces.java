package dev.sallyport.conformance.echo;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/** Where a server of gRPC writes something: metadata, messages, the status and its details. By hand; texts are Latin-1. */
final class GrpcPlaces {

    private static final int PREFIX = 1 + Integer.BYTES;

    private interface Answer {

        /** @param request the field section of the request, and its content */
        void send(Http2Line line, String request, String text) throws IOException;
    }

    private GrpcPlaces() {}

    static void add(List<Place> all) {
        for (Place.Protocol protocol : List.of(Place.Protocol.GRPC, Place.Protocol.GRPC_TLS)) {
            metadata(protocol, all);
            messages(protocol, all);
            endings(protocol, all);
        }
    }

    private static void metadata(Place.Protocol protocol, List<Place> all) {
        add(all, protocol, "metadata", Place.Fits.FIELD, (line, request, text) -> {
            head(line, "x-echo", text);
            ok(line, message("hello"));
        });
        add(all, protocol, "binary metadata", Place.Fits.ANY, (line, request, text) -> {
            head(line, "x-echo-bin", binary("\u0001" + text));
            ok(line, message("hello"));
        });
        add(all, protocol, "trailers", Place.Fits.FIELD, (line, request, text) -> {
            head(line);
            line.data(false, message("hello"));
            line.fields(true, "grpc-status", "0", "x-last", text);
        });
        add(all, protocol, "binary trailers", Place.Fits.ANY, (line, request, text) -> {
            head(line);
            line.fields(true, "grpc-status", "0", "x-last-bin", binary(text) + "," + binary("xx" + text));
        });
    }

    private static void messages(Place.Protocol protocol, List<Place> all) {
        add(all, protocol, "message", Place.Fits.ANY, (line, request, text) -> {
            head(line);
            ok(line, message("before " + text + " after"));
        });
        add(all, protocol, "messages in small pieces", Place.Fits.ANY, (line, request, text) -> {
            head(line, "grpc-encoding", "identity");
            String both = message(field(text)) + message("then " + text);
            for (int from = 0; from < both.length(); from += 11) {
                line.data(false, both.substring(from, Math.min(both.length(), from + 11)));
            }
            ok(line, "");
        });
        add(all, protocol, "compressed message", Place.Fits.ANY, (line, request, text) -> {
            // What a server does that looks at what the client takes.
            boolean takes = request.contains("grpc-accept-encoding: ")
                    && request.split("grpc-accept-encoding: ", 2)[1]
                            .lines()
                            .findFirst()
                            .orElseThrow()
                            .contains("gzip");
            head(line, "grpc-encoding", takes ? "gzip" : "identity");
            ok(line, takes ? compressed(text) : message(text));
        });
        add(all, protocol, "compressed message that was not asked for", Place.Fits.ANY, (line, request, text) -> {
            // What a server does that answers in the encoding of the request.
            head(line, "grpc-encoding", "gzip");
            ok(line, message("plain") + compressed(field(text)) + compressed("and " + text));
        });
    }

    private static void endings(Place.Protocol protocol, List<Place> all) {
        add(all, protocol, "status message", Place.Fits.ANY, (line, request, text) -> {
            head(line);
            line.fields(true, "grpc-status", "16", "grpc-message", percent("bad token " + text));
        });
        add(all, protocol, "status message that is not encoded", Place.Fits.FIELD, (line, request, text) -> {
            head(line);
            line.fields(true, "grpc-status", "16", "grpc-message", text);
        });
        add(
                all,
                protocol,
                "status without anything before it",
                Place.Fits.ANY,
                (line, request, text) -> line.fields(
                        true,
                        ":status",
                        "200",
                        "content-type",
                        "application/grpc",
                        "grpc-status",
                        "7",
                        "grpc-message",
                        percent(text)));
        add(all, protocol, "details of a status", Place.Fits.ANY, (line, request, text) -> {
            head(line);
            line.fields(
                    true, "grpc-status", "3", "grpc-message", "bad", "grpc-status-details-bin", binary(status(text)));
        });
    }

    private static void add(List<Place> all, Place.Protocol protocol, String name, Place.Fits fits, Answer answer) {
        all.add(new Place(
                "gRPC " + name + (protocol == Place.Protocol.GRPC_TLS ? ", TLS" : ""),
                protocol,
                fits,
                (line, http2, request, text) -> answer.send(Objects.requireNonNull(http2), request, text)));
    }

    private static void head(Http2Line line, String... more) throws IOException {
        String[] fields = new String[4 + more.length];
        fields[0] = ":status";
        fields[1] = "200";
        fields[2] = "content-type";
        fields[3] = "application/grpc";
        System.arraycopy(more, 0, fields, 4, more.length);
        line.fields(false, fields);
    }

    private static void ok(Http2Line line, String content) throws IOException {
        line.data(false, content);
        line.fields(true, "grpc-status", "0");
    }

    /** One as it is. */
    static String message(String content) {
        return framed(0, content);
    }

    /** What the messages hold that are compressed; what is left of a stream that was broken off is not looked at. */
    static String inflated(String messages) throws IOException {
        StringBuilder all = new StringBuilder();
        for (int from = 0; from + PREFIX <= messages.length(); ) {
            int length = ByteBuffer.wrap(Line.bytes(messages), from + 1, Integer.BYTES)
                    .getInt();
            int end = Math.min(messages.length(), from + PREFIX + length);
            if (messages.charAt(from) == 1 && end == from + PREFIX + length) {
                byte[] message = Line.bytes(messages.substring(from + PREFIX, end));
                try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(message))) {
                    all.append(Line.text(in.readAllBytes())).append('\n');
                }
            }
            from = end;
        }
        return all.toString();
    }

    private static String compressed(String content) {
        return framed(1, Place.encoded("gzip", content));
    }

    private static String framed(int flag, String content) {
        byte[] length =
                ByteBuffer.allocate(Integer.BYTES).putInt(content.length()).array();
        return (char) flag + Line.text(length) + content;
    }

    /** Protocol buffers: field 1, a text, and field 2, a number. */
    private static String field(String text) {
        return "\n" + counted(text) + "\u0010\u0007";
    }

    /** {@code google.rpc.Status}: a code, a message, and a detail. */
    private static String status(String text) {
        String detail = "\n" + counted("type.googleapis.com/google.rpc.ErrorInfo") + "\u0012" + counted(field(text));
        return "\b\u0003\u0012" + counted("bad token " + text) + "\u001a" + counted(detail);
    }

    /** With its length before it, as a varint. */
    private static String counted(String text) {
        StringBuilder length = new StringBuilder(3);
        int rest = text.length();
        for (; rest > 0x7f; rest >>>= 7) {
            length.append((char) ((rest & 0x7f) | 0x80));
        }
        return length.append((char) rest) + text;
    }

    /** The value of a field whose name ends in {@code -bin}: without padding, as all implementations write it. */
    private static String binary(String text) {
        return Base64.getEncoder().withoutPadding().encodeToString(Line.bytes(text));
    }

    /** The value of {@code grpc-message}. */
    private static String percent(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.ISO_8859_1)) {
            if (b >= ' ' && b < 0x7f && b != '%') {
                out.append((char) b);
            } else {
                out.append(String.format(Locale.ROOT, "%%%02X", b & 0xff));
            }
        }
        return out.toString();
    }
}
