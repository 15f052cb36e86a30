package dev.sallyport.transforms.grpc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Passes bytes on to a port of the loopback interface; connections can be made to swallow them. Thread-safe. */
final class BlackHole implements AutoCloseable {

    private final ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
    private final List<AtomicBoolean> swallowing = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final int to;

    BlackHole(int to) throws IOException {
        this.to = to;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    /** From now on nothing comes out of the connections that there are; new ones work. */
    void swallow() {
        swallowing.forEach(one -> one.set(true));
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
                sockets.add(client);
                sockets.add(server);
                AtomicBoolean swallows = new AtomicBoolean();
                swallowing.add(swallows);
                Thread.ofVirtual().start(() -> copy(client, server, swallows));
                Thread.ofVirtual().start(() -> copy(server, client, swallows));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private static void copy(Socket from, Socket to, AtomicBoolean swallows) {
        byte[] bytes = new byte[8192];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                if (!swallows.get()) {
                    out.write(bytes, 0, length);
                }
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        for (Socket one : sockets) {
            one.close();
        }
    }
}
