package dev.sallyport.sandboxd.system;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** A connection to a UNIX socket, which ends when its time is over, whatever the other end does. For one thread. */
public final class UnixConnection implements AutoCloseable {

    private static final int BUFFER = 8192;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).limit(0);
    private final long deadline;

    private UnixConnection(SocketChannel channel, Selector selector, Duration limit) throws IOException {
        this.channel = channel;
        this.selector = selector;
        this.key = channel.register(selector, 0);
        this.deadline = System.nanoTime() + limit.toNanos();
    }

    /**
     * Connects, at once or not at all: the other end may let others wait for ever.
     *
     * @param limit how long all that is said may take
     */
    public static UnixConnection open(Path socket, Duration limit) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        boolean opened = false;
        try {
            channel.configureBlocking(false);
            if (!channel.connect(UnixDomainSocketAddress.of(socket))) {
                throw new IOException("more wait at " + socket + " than it takes");
            }
            UnixConnection connection = new UnixConnection(channel, Selector.open(), limit);
            opened = true;
            return connection;
        } finally {
            if (!opened) {
                channel.close();
            }
        }
    }

    /**
     * Reads a byte.
     *
     * @throws EOFException when nothing comes any more
     */
    public byte read() throws IOException, InterruptedException {
        if (!buffer.hasRemaining()) {
            buffer.clear();
            int read = channel.read(buffer);
            while (read == 0) {
                await(SelectionKey.OP_READ);
                read = channel.read(buffer);
            }
            buffer.flip();
            if (read < 0) {
                throw new EOFException("the other end has closed the connection");
            }
        }
        return buffer.get();
    }

    /**
     * Reads a line, without its line feed.
     *
     * @param longest how many bytes it may have
     */
    public String line(int longest) throws IOException, InterruptedException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (byte next = read(); next != '\n'; next = read()) {
            if (line.size() == longest) {
                throw new IOException("a line has more than " + longest + " bytes");
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** Writes all of it. */
    public void write(byte[] bytes) throws IOException, InterruptedException {
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
            if (channel.write(left) == 0) {
                await(SelectionKey.OP_WRITE);
            }
        }
    }

    private void await(int operation) throws IOException, InterruptedException {
        key.interestOps(operation);
        long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
        if (left <= 0) {
            throw new IOException("the other end took too long");
        }
        selector.select(left);
        selector.selectedKeys().clear();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    @Override
    public void close() throws IOException {
        try (Selector closed = selector) {
            channel.close();
        }
    }
}
