package dev.sallyport.control;

import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Who connects to the SSH port of a VM, as far as a plain forwarder can tell. */
final class SshClient implements AutoCloseable {

    private static final int PATIENCE_MILLIS = Patience.MILLIS;

    private final Socket socket;

    private SshClient(Socket socket) {
        this.socket = socket;
    }

    static SshClient to(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return new SshClient(socket);
    }

    /** The line with which an sshd begins; empty when there is none. */
    String readBanner() throws IOException {
        StringBuilder line = new StringBuilder();
        InputStream in = socket.getInputStream();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            line.append((char) c);
        }
        return line.toString().strip();
    }

    OutputStream out() throws IOException {
        return socket.getOutputStream();
    }

    InputStream in() throws IOException {
        return socket.getInputStream();
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Says nothing more. */
    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** Until the other side has ended. */
    String readAll() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
