package dev.sallyport.control;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** HTTP/1.1 over a socket, for requests that no client would send. Keeps its connection. Not thread-safe. */
final class Wire implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 20_000;

    private final URI address;
    private @Nullable Socket socket;
    private @Nullable InputStream in;

    Wire(URI address) {
        this.address = address;
    }

    /** Sends these bytes and reads one answer; {@code bodiless} when the answer has no body whatever its head says. */
    Api.Reply send(byte[] request, boolean bodiless) throws IOException {
        boolean kept = socket != null;
        try {
            return exchange(request, bodiless);
        } catch (EOFException e) {
            if (!kept) {
                throw e;
            }
            return exchange(request, bodiless); // the server had closed the connection that was kept
        }
    }

    private Api.Reply exchange(byte[] request, boolean bodiless) throws IOException {
        Socket open = socket;
        InputStream from = in;
        if (open == null || from == null) {
            open = new Socket(address.getHost(), address.getPort());
            open.setSoTimeout(TIMEOUT_MILLIS);
            open.setTcpNoDelay(true);
            from = new BufferedInputStream(open.getInputStream());
            socket = open;
            in = from;
        }
        IOException unsent = null;
        try {
            open.getOutputStream().write(request);
        } catch (IOException e) {
            unsent = e; // the answer may have come before the end of the request
        }
        try {
            Api.Reply reply = read(from, bodiless);
            if (unsent != null || reply.header("Connection").equalsIgnoreCase("close")) {
                close();
            }
            return reply;
        } catch (IOException e) {
            close();
            if (unsent != null) {
                e.addSuppressed(unsent);
            }
            throw e;
        }
    }

    private static Api.Reply read(InputStream in, boolean bodiless) throws IOException {
        while (true) {
            String[] status = line(in).split(" ", 3);
            if (status.length < 2 || !status[0].startsWith("HTTP/1.") || !status[1].matches("[1-5][0-9][0-9]")) {
                throw new IOException("no status line: " + String.join(" ", status));
            }
            int code = Integer.parseInt(status[1]);
            HttpHeaders headers = headers(in);
            if (code >= 200) {
                boolean none = bodiless || code == 204 || code == 304;
                byte[] body = none ? new byte[0] : body(in, headers);
                boolean zipped =
                        headers.firstValue("Content-Encoding").orElse("").equals("gzip") && body.length > 0;
                byte[] plain = zipped ? new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes() : body;
                return new Api.Reply(code, headers, new String(plain, StandardCharsets.UTF_8));
            }
        }
    }

    private static HttpHeaders headers(InputStream in) throws IOException {
        Map<String, List<String>> fields = new TreeMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw new IOException("no header field: " + line);
            }
            fields.computeIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), any -> new ArrayList<>())
                    .add(line.substring(colon + 1).strip());
        }
        return HttpHeaders.of(fields, (name, value) -> true);
    }

    private static byte[] body(InputStream in, HttpHeaders headers) throws IOException {
        if (headers.firstValue("Transfer-Encoding").orElse("").equalsIgnoreCase("chunked")) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            int size = Integer.parseInt(line(in), 16);
            while (size > 0) {
                all.write(in.readNBytes(size));
                line(in);
                size = Integer.parseInt(line(in), 16);
            }
            line(in);
            return all.toByteArray();
        }
        String length = headers.firstValue("Content-Length").orElse("");
        if (length.isEmpty()) {
            return in.readAllBytes();
        }
        byte[] body = in.readNBytes(Integer.parseInt(length));
        if (body.length < Integer.parseInt(length)) {
            throw new EOFException("an answer that is cut");
        }
        return body;
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the connection was closed");
            }
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        if (socket != null) {
            socket.close();
        }
        socket = null;
        in = null;
    }
}
