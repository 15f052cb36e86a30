package dev.sallyport.conformance.echo;

import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/**
 * Answers with the program that is set at that time, over HTTP/1.1 and HTTP/2, and keeps what it was sent. It mints tokens
 * at {@code /token}.
 */
final class EchoOrigin implements AutoCloseable {

    /** A field with which a client says that it will send a message. */
    static final String LISTEN = "X-Listen";

    /** What the token endpoint hands out. */
    static final String TOKEN = "ya29.m1nted/t0ken+with-a_long.tail=Zq8";

    private static final String MINTED =
            "{\"access_token\":\"" + TOKEN + "\",\"expires_in\":3600,\"token_type\":\"Bearer\"}";

    private final ServerSocket server;
    private final ServerSocket secure;
    private final SSLContext context;
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private volatile Place place = Place.ALL.getFirst();
    private volatile Function<String, String> text = request -> "nothing";

    /** @param context for TLS */
    EchoOrigin(InetAddress address, SSLContext context) throws IOException {
        this.context = context;
        server = new ServerSocket(0, 50, address);
        secure = new ServerSocket(0, 50, address);
        Thread.ofVirtual().start(() -> accept(server));
        Thread.ofVirtual().start(() -> accept(secure));
    }

    private void accept(ServerSocket from) {
        while (!from.isClosed()) {
            try {
                Socket socket = from.accept();
                Thread.ofVirtual().start(() -> serve(socket, from));
            } catch (IOException e) {
                // It is closed, or the next one may be better.
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // There are two.
    private void serve(Socket socket, ServerSocket from) {
        try (socket;
                Line line = Line.ofOrigin(from == secure ? Tls.server(context, socket) : socket)) {
            if (line.peek(3).equals("PRI")) {
                Http2Line http2 = Http2Line.server(line);
                while (true) {
                    String request = http2.hear();
                    if (!request.endsWith(Http2Line.BROKEN_OFF)) {
                        seen.add(request);
                        place.program().answer(line, http2, request, text.apply(request));
                    }
                }
            }
            for (String head = line.readHead(); !head.isEmpty(); head = line.readHead()) {
                answer(line, head);
            }
        } catch (IOException e) {
            // The proxy hung up.
        }
    }

    private void answer(Line line, String head) throws IOException {
        String request = head + content(line, head);
        if (head.startsWith("POST /token ")) {
            line.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + MINTED.length()
                    + "\r\n\r\n" + MINTED);
            return;
        }
        Place.Protocol protocol = place.protocol();
        if (protocol == Place.Protocol.WEBSOCKET) {
            String extension = Frames.compresses(head) ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : "";
            line.send(Frames.agreement(head, extension));
            request += Line.field(head, LISTEN).isEmpty() ? "" : Frames.read(line);
        }
        seen.add(request);
        place.program().answer(line, null, head, text.apply(request));
        if (protocol != Place.Protocol.HTTP1) {
            line.readToEnd();
        }
    }

    private static String content(Line line, String head) throws IOException {
        if (Line.field(head, "Transfer-Encoding").equals("chunked")) {
            return line.readChunks() + line.readTrailers();
        }
        String length = Line.field(head, "Content-Length");
        return length.isEmpty() ? "" : line.read(Integer.parseInt(length));
    }

    /** From now on it answers so; the text is made from the request. */
    void answers(Place where, Function<String, String> what) {
        seen.clear();
        place = where;
        text = what;
    }

    /** What it was sent by the latest request. */
    String seen() throws InterruptedException {
        return Objects.requireNonNull(seen.poll(Patience.SECONDS, TimeUnit.SECONDS), "a request");
    }

    /** @param answer that of the proxy, for the message */
    void awaitRequest(String answer) throws InterruptedException {
        if (seen.poll(Patience.SECONDS, TimeUnit.SECONDS) == null) {
            throw new AssertionError("no request came to the origin; the answer was: " + answer);
        }
    }

    String authority() {
        return address() + ":" + server.getLocalPort();
    }

    /** Where it speaks HTTP/2 over TLS. */
    String secureAuthority() {
        return address() + ":" + securePort();
    }

    String address() {
        return server.getInetAddress().getHostAddress();
    }

    int securePort() {
        return secure.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        server.close();
        secure.close();
    }
}
