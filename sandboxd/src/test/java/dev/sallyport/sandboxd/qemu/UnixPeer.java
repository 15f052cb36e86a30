package dev.sallyport.sandboxd.qemu;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Listens at a UNIX socket, and talks to each who comes, one after the other. */
final class UnixPeer implements AutoCloseable {

    private final ServerSocketChannel listener;
    private final Thread thread;

    /** What is said to one. */
    interface Talk {
        void with(InputStream in, OutputStream out) throws IOException;
    }

    UnixPeer(Path socket, Talk talk) throws IOException {
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(socket));
        thread = Thread.ofPlatform().start(() -> serve(talk));
    }

    private void serve(Talk talk) {
        while (listener.isOpen()) {
            try (SocketChannel one = listener.accept()) {
                talk.with(new BufferedInputStream(Channels.newInputStream(one)), Channels.newOutputStream(one));
            } catch (IOException e) {
                // the other end has gone, or the test is over
            }
        }
    }

    /** Reads a line. */
    static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.append((char) next);
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        listener.close();
        thread.join();
    }
}
