package dev.sallyport.sandboxd.qemu;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A socket into which a QEMU writes its state: QEMU opens no file, and starts no program. For one thread. */
final class StateSocket implements AutoCloseable {

    private final Path path;
    private final Selector selector;
    private final ServerSocketChannel listener;
    private @Nullable SocketChannel peer;

    private StateSocket(Path path, Selector selector, ServerSocketChannel listener) {
        this.path = path;
        this.selector = selector;
        this.listener = listener;
    }

    /** Listens. The group that may pass through the folder is the user, by number, who may connect besides root. */
    static StateSocket open(Path path) throws IOException {
        Files.deleteIfExists(path);
        Selector selector = Selector.open();
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        StateSocket socket = new StateSocket(path, selector, listener);
        boolean opened = false;
        try {
            listener.bind(UnixDomainSocketAddress.of(path), 1);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            Object user = Files.getAttribute(path.getParent(), "unix:gid", LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", user, LinkOption.NOFOLLOW_LINKS);
            watch(selector, listener, SelectionKey.OP_ACCEPT);
            opened = true;
            return socket;
        } finally {
            if (!opened) {
                socket.close();
            }
        }
    }

    private static void watch(Selector selector, SelectableChannel channel, int operation) throws IOException {
        channel.configureBlocking(false);
        channel.register(selector, operation);
    }

    /**
     * Reads what comes.
     *
     * @param patience how long to wait for that
     * @return how much; 0 when nothing has come in time, and -1 at the end
     */
    int read(ByteBuffer buffer, Duration patience) throws IOException, InterruptedException {
        int read = readNow(buffer);
        if (read == 0) {
            selector.select(patience.toMillis());
            selector.selectedKeys().clear();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            read = readNow(buffer);
        }
        return read;
    }

    private int readNow(ByteBuffer buffer) throws IOException {
        SocketChannel present = peer;
        if (present == null) {
            present = listener.accept();
            if (present == null) {
                return 0;
            }
            peer = present;
            watch(selector, present, SelectionKey.OP_READ);
        }
        return present.read(buffer);
    }

    @Override
    public void close() throws IOException {
        try (Selector closed = selector;
                ServerSocketChannel ended = listener) {
            if (peer != null) {
                peer.close();
            }
            Files.deleteIfExists(path);
        }
    }
}
