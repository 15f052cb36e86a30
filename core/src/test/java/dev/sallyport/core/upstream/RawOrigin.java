package dev.sallyport.core.upstream;

import dev.sallyport.core.testing.Http2Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/**
 * An origin that says on each connection exactly what its script says; the last script serves all further connections.
 */
final class RawOrigin implements AutoCloseable {

    /** What happens on one connection; it is closed afterwards. */
    interface Script {
        void serve(Peer peer) throws Exception;
    }

    private final ServerSocket server;
    private final List<Script> scripts;
    private final SSLContext tls;
    private final AtomicInteger accepted = new AtomicInteger();
    private final ConcurrentLinkedQueue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private volatile String[] protocols = {};
    private volatile boolean closing;

    static RawOrigin plain(Script... scripts) {
        return new RawOrigin(null, scripts);
    }

    static RawOrigin tls(SSLContext context, Script... scripts) {
        return new RawOrigin(context, scripts);
    }

    /** Speaks TLS and agrees to HTTP/2. */
    static RawOrigin h2(SSLContext context, Script... scripts) {
        RawOrigin origin = new RawOrigin(context, scripts);
        origin.protocols = new String[] {"h2"};
        return origin;
    }

    /** Agrees to these protocols in this order from now on. */
    RawOrigin offering(String... alpn) {
        protocols = alpn;
        return this;
    }

    private RawOrigin(SSLContext tls, Script... scripts) {
        this.tls = tls;
        this.scripts = List.of(scripts);
        try {
            server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    /** Lines that each end in CRLF. */
    static String lines(String... lines) {
        return String.join("\r\n", lines) + "\r\n";
    }

    int port() {
        return server.getLocalPort();
    }

    int connections() {
        return accepted.get();
    }

    private void accept() {
        while (!closing) {
            try {
                Socket socket = server.accept();
                sockets.add(socket);
                int index = accepted.getAndIncrement();
                Script script = scripts.get(Math.min(index, scripts.size() - 1));
                Thread.ofVirtual().start(() -> serve(socket, script));
            } catch (IOException e) {
                if (!closing) {
                    errors.add(e);
                }
            }
        }
    }

    private void serve(Socket plain, Script script) {
        try (plain) {
            Socket socket = plain;
            if (tls != null) {
                SSLSocket secured =
                        (SSLSocket) tls.getSocketFactory().createSocket(plain, null, plain.getPort(), false);
                secured.setUseClientMode(false);
                var parameters = secured.getSSLParameters();
                parameters.setApplicationProtocols(protocols);
                secured.setSSLParameters(parameters);
                socket = secured;
            }
            script.serve(new Peer(plain, socket));
            if (!plain.isClosed()) {
                socket.close();
            }
        } catch (SocketException e) {
            // The client hung up, which the script would have expected by reading the end.
        } catch (Throwable e) {
            if (!closing) {
                errors.add(e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        closing = true;
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        for (Throwable error : errors) {
            throw new AssertionError("the origin's script failed", error);
        }
    }

    /** The client, as the origin sees it. */
    record Peer(Socket plain, Socket socket) {

        /** Reads the client's preface and speaks HTTP/2 from now on, beginning with these settings. */
        Http2Wire http2(int... settings) throws IOException {
            return Http2Wire.accept(in(), out(), settings);
        }

        /** Reads to the empty line, which is not part of the result. */
        String readHead() throws IOException {
            String text = readThrough("\r\n\r\n");
            return text.substring(0, text.length() - 4);
        }

        String readThrough(String end) throws IOException {
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            while (true) {
                int next = in().read();
                if (next < 0) {
                    throw new SocketException("closed");
                }
                read.write(next);
                String text = read.toString(StandardCharsets.ISO_8859_1);
                if (text.endsWith(end)) {
                    return text;
                }
            }
        }

        String read(int bytes) throws IOException {
            return new String(in().readNBytes(bytes), StandardCharsets.ISO_8859_1);
        }

        void awaitEnd() throws IOException {
            try {
                while (in().read() >= 0) {
                    // what comes does not matter
                }
            } catch (SocketException e) {
                // a reset is an end too
            }
        }

        /** Tries to read, which fails when the client breaks the handshake off. */
        void awaitAlert() throws IOException {
            try {
                awaitEnd();
            } catch (SSLException e) {
                // as expected
            }
        }

        void send(String text) throws IOException {
            out().write(text.getBytes(StandardCharsets.ISO_8859_1));
            out().flush();
        }

        void ok(String body) throws IOException {
            send("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        }

        InputStream in() throws IOException {
            return socket.getInputStream();
        }

        OutputStream out() throws IOException {
            return socket.getOutputStream();
        }

        /** Closes TCP without a word of TLS. */
        void drop() throws IOException {
            plain.close();
        }

        /** Has the kernel send RST. */
        void reset() throws IOException {
            plain.setSoLinger(true, 0);
            plain.close();
        }
    }
}
