package dev.sallyport.conformance.mcp;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An origin that takes whatever comes and answers with bytes of a script. */
class RawServer implements AutoCloseable {

    /** For readers that descend as deep as a message says. */
    static final long STACK = 512L << 20;

    private final ServerSocket listener;
    private final Function<Seen, byte[]> script;
    private final List<Seen> seen = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** @param script an answer that says {@code Connection: close} is the last on its connection */
    RawServer(Function<Seen, byte[]> script) {
        this.script = script;
        try {
            listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofPlatform().daemon().name("raw-server").start(this::accept);
    }

    /** What {@code Host} says. */
    String authority() {
        return "localhost:" + listener.getLocalPort();
    }

    /** What has come so far. */
    List<Seen> seen() {
        return List.copyOf(seen);
    }

    void forget() {
        seen.clear();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                Thread thread = new Thread(null, () -> serve(socket), "raw-connection", STACK);
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            BufferedInputStream in = new BufferedInputStream(socket.getInputStream());
            @Nullable Seen request = Wire.read(in, false);
            while (request != null) {
                seen.add(request);
                byte[] answer = script.apply(request);
                socket.getOutputStream().write(answer);
                socket.getOutputStream().flush();
                if (new String(answer, 0, Math.min(answer.length, 400), StandardCharsets.ISO_8859_1)
                        .contains("Connection: close")) {
                    socket.shutdownOutput();
                }
                request = Wire.read(in, false);
            }
        } catch (IOException e) {
            // The other side has gone, which is its right.
        } finally {
            open.remove(socket);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
