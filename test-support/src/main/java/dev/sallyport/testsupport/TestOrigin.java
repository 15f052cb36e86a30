package dev.sallyport.testsupport;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** An origin that runs a script on each connection; the last script serves all further connections. */
public final class TestOrigin implements AutoCloseable {

    /** The script of one connection, which is closed afterwards. Ends quietly when the peer closes. */
    public interface Script {
        void serve(Wire peer) throws Exception;
    }

    /** Answers one HTTP/1.1 request with the bytes of a response, in Latin-1. */
    public interface Handler {
        String answer(Wire.Message request) throws Exception;
    }

    private final ServerSocket server;
    private final List<Script> scripts;
    private final @Nullable SSLContext tls;
    private final AtomicInteger accepted = new AtomicInteger();
    private final ConcurrentLinkedQueue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
    private final Thread acceptor;
    private volatile String[] protocols = {};
    private volatile boolean closing;

    private TestOrigin(@Nullable SSLContext tls, Script... scripts) {
        this(InetAddress.getLoopbackAddress(), tls, scripts);
    }

    private TestOrigin(InetAddress address, @Nullable SSLContext tls, Script... scripts) {
        this.tls = tls;
        this.scripts = List.of(scripts);
        try {
            this.server = new ServerSocket(0, 200, address);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        acceptor = Thread.ofVirtual().start(this::accept);
    }

    public static TestOrigin of(Script... scripts) {
        return new TestOrigin(null, scripts);
    }

    /**
     * At one of the addresses of the loopback interface.
     *
     * @param context null for plaintext
     */
    public static TestOrigin at(InetAddress address, @Nullable SSLContext context, Script... scripts) {
        return new TestOrigin(address, context, scripts);
    }

    public static TestOrigin tls(SSLContext context, Script... scripts) {
        return new TestOrigin(context, scripts);
    }

    /** Uses TLS and agrees to HTTP/2: each script begins with {@link Wire#http2}. */
    public static TestOrigin h2(SSLContext context, Script... scripts) {
        TestOrigin origin = new TestOrigin(context, scripts);
        return origin.offering("h2");
    }

    /** Answers every request, on any connection; connections stay open. */
    public static TestOrigin handling(Handler handler) {
        return of(always(handler));
    }

    public static Script always(Handler handler) {
        return peer -> {
            while (true) {
                peer.send(handler.answer(peer.request()));
            }
        };
    }

    /** Agrees to these protocols, in this order, from now on. */
    public TestOrigin offering(String... alpn) {
        protocols = alpn;
        return this;
    }

    /** Answers every request without a body with these bytes, and keeps its connections open. */
    public static TestOrigin answering(String response) {
        return of(always(response));
    }

    public static Script always(String response) {
        return peer -> {
            while (true) {
                peer.readHead();
                peer.send(response);
            }
        };
    }

    /**
     * Answers one request with a body that does not end.
     *
     * @param broken runs when the peer no longer takes it
     */
    public static Script endless(Runnable broken) {
        return peer -> {
            peer.readHead();
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n");
            byte[] some = new byte[64 * 1024];
            try {
                while (true) {
                    peer.send(some);
                }
            } finally {
                broken.run();
            }
        };
    }

    public static String ok(String body) {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    public int port() {
        return server.getLocalPort();
    }

    /** {@code 127.0.0.1:port}. */
    public String authority() {
        return "127.0.0.1:" + port();
    }

    public int connections() {
        return accepted.get();
    }

    private void accept() {
        while (!closing) {
            try {
                Socket socket = server.accept();
                sockets.add(socket);
                Script script = scripts.get(Math.min(accepted.getAndIncrement(), scripts.size() - 1));
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
                SSLSocket secured = (SSLSocket) tls.getSocketFactory().createSocket(plain, null, plain.getPort(), true);
                secured.setUseClientMode(false);
                var parameters = secured.getSSLParameters();
                parameters.setApplicationProtocols(protocols);
                secured.setSSLParameters(parameters);
                socket = secured;
            }
            try (Wire wire = new Wire(socket, plain)) {
                script.serve(wire);
            }
        } catch (SocketException | EOFException | SSLException e) {
            // The peer hung up.
        } catch (Throwable e) {
            if (!closing) {
                errors.add(e);
            }
        }
    }

    /** Nobody can connect from now on. Fails when a script has failed. */
    @Override
    public void close() throws IOException {
        closing = true;
        server.close();
        try {
            acceptor.join(); // until then it may take another connection
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Socket socket : sockets) {
            socket.close();
        }
        for (Throwable error : errors) {
            throw new AssertionError("the origin's script failed", error);
        }
    }
}
