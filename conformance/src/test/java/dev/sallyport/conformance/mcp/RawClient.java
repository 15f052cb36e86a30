package dev.sallyport.conformance.mcp;

import dev.sallyport.testsupport.Patience;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/** A connection to a proxy, of which every byte is written by hand. */
final class RawClient implements AutoCloseable {

    private static final int PATIENCE_MILLIS = Patience.MILLIS;

    private final Socket socket;
    private final BufferedInputStream in;

    RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** Nothing more is sent. */
    void finish() throws IOException {
        socket.shutdownOutput();
    }

    /** The next answer; null when the connection ends instead. */
    @Nullable Seen answer() throws IOException {
        try {
            return Wire.read(in, true);
        } catch (SocketException e) {
            return null; // reset
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
