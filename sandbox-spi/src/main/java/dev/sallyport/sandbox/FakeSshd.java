package dev.sallyport.sandbox;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands in the place of a guest's sshd, on loopback: sends a banner (RFC 4253, 4.2), then whatever it gets, and ends its
 * side when the other has ended.
 */
final class FakeSshd {

    private final VmId id;
    private final Set<VmId> silent;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** @param silent the VMs whose sshd says nothing */
    FakeSshd(VmId id, Set<VmId> silent) throws IOException {
        this.id = id;
        this.silent = silent;
        listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("fake-sshd").start(this::accept);
    }

    SshEndpoint endpoint() {
        return new SshEndpoint(listener.getInetAddress().getHostAddress(), listener.getLocalPort());
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                open.add(socket);
                Thread.ofVirtual().name("fake-ssh").start(() -> serve(socket));
            } catch (IOException e) {
                close(); // it was closed, or accepts no more
            }
        }
        open.forEach(FakeSshd::end);
    }

    private void serve(Socket socket) {
        try (socket;
                OutputStream out = socket.getOutputStream()) {
            if (!silent.contains(id)) {
                out.write(("SSH-2.0-fake_" + id + "\r\n").getBytes(StandardCharsets.US_ASCII));
            }
            socket.getInputStream().transferTo(out);
        } catch (IOException e) {
            end(socket); // the client went away
        } finally {
            open.remove(socket);
        }
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        open.forEach(FakeSshd::end);
    }
}
