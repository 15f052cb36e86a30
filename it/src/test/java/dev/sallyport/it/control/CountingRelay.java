package dev.sallyport.it.control;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Stands between a proxy and its control plane, counts what the proxy is sent, and cuts connections off. */
final class CountingRelay implements AutoCloseable {

    private static final int BUFFER = 16 << 10;

    private final ServerSocket listening;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong received = new AtomicLong();

    /** @param port of the control plane, on loopback */
    CountingRelay(int port) throws IOException {
        this.port = port;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** How many bytes the proxy was sent. */
    long received() {
        return received.get();
    }

    /** Ends all connections. */
    void cut() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                relay(listening.accept());
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void relay(Socket client) throws IOException {
        Socket server;
        try {
            server = new Socket(InetAddress.getLoopbackAddress(), port);
        } catch (IOException e) {
            client.close(); // the control plane is away
            return;
        }
        open.add(client);
        open.add(server);
        Thread.ofVirtual().start(() -> pump(client, server, new AtomicLong()));
        Thread.ofVirtual().start(() -> pump(server, client, received));
    }

    private void pump(Socket from, Socket to, AtomicLong count) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[BUFFER];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                count.addAndGet(read);
                out.write(buffer, 0, read);
            }
        } catch (IOException e) {
            return; // cut off
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
