package dev.sallyport.conformance.mcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** HTTP/1.1 as bytes. */
final class Wire {

    private static final String END_OF_LINE = "\r\n";

    private Wire() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }

    static byte[] chunked(byte[] body, int size) {
        ByteArrayOutputStream chunks = new ByteArrayOutputStream();
        for (int at = 0; at < body.length; at += size) {
            int length = Math.min(size, body.length - at);
            chunks.writeBytes(bytes(Integer.toHexString(length) + END_OF_LINE));
            chunks.write(body, at, length);
            chunks.writeBytes(bytes(END_OF_LINE));
        }
        chunks.writeBytes(bytes("0\r\n\r\n"));
        return chunks.toByteArray();
    }

    /** An answer with its length. */
    static byte[] answer(int status, String headers, byte[] body) {
        return join(
                bytes("HTTP/1.1 " + status + " Said\r\n" + headers + "Content-Length: " + body.length + "\r\n\r\n"),
                body);
    }

    static byte[] json(String body) {
        return answer(200, "Content-Type: application/json\r\n", bytes(body));
    }

    /** The next message, or as much of it as comes; null when the stream ends before one begins. */
    static @Nullable Seen read(InputStream in, boolean response) throws IOException {
        String line = line(in);
        while (line != null && (line.isEmpty() || line.startsWith("HTTP/1.1 1"))) {
            line = line(in);
        }
        if (line == null) {
            return null;
        }
        List<String> headers = new ArrayList<>();
        for (String header = line(in); header != null && !header.isEmpty(); header = line(in)) {
            headers.add(header);
        }
        Seen head = new Seen(line, List.copyOf(headers), new byte[0]);
        return new Seen(line, head.headers(), body(in, head, response));
    }

    private static byte[] body(InputStream in, Seen head, boolean response) throws IOException {
        if (head.header("Transfer-Encoding").stream().anyMatch(value -> value.contains("chunked"))) {
            return chunks(in);
        }
        List<String> lengths = head.header("Content-Length");
        if (!lengths.isEmpty()) {
            return in.readNBytes(Integer.parseInt(lengths.getFirst()));
        }
        return response && !head.line().contains(" 204 ") ? in.readAllBytes() : new byte[0];
    }

    private static byte[] chunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            String size = line(in);
            if (size == null) {
                return body.toByteArray();
            }
            int semicolon = size.indexOf(';');
            int length = Integer.parseInt((semicolon < 0 ? size : size.substring(0, semicolon)).trim(), 16);
            if (length == 0) {
                break;
            }
            body.writeBytes(in.readNBytes(length));
            line(in);
        }
        for (String trailer = line(in); trailer != null && !trailer.isEmpty(); trailer = line(in)) {
            // Not looked at.
        }
        return body.toByteArray();
    }

    private static @Nullable String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        while (next >= 0 && next != '\n') {
            if (next != '\r') {
                line.write(next);
            }
            next = in.read();
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }
}
