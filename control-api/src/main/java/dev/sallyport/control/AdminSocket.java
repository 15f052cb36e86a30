package dev.sallyport.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.store.PrivateFiles;
import dev.sallyport.spi.ConfigException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A UNIX socket in the state folder, through which commands of the operator reach the running control plane. Whoever can
 * enter the folder, its owner alone, may do everything. One JSON value in, one out.
 */
final class AdminSocket implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AdminSocket.class);
    private static final int LARGEST = 64 * 1024;
    private static final int LARGEST_ANSWER = 64 * 1024 * 1024;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Path path;
    private final ServerSocketChannel listener;
    private final AdminCommands commands;

    private AdminSocket(Path path, ServerSocketChannel listener, AdminCommands commands) {
        this.path = path;
        this.listener = listener;
        this.commands = commands;
    }

    static AdminSocket open(Path path, AdminCommands commands) throws ConfigException {
        try {
            Files.deleteIfExists(path); // of a process that was killed: the folder is locked
            ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            bind(listener, path);
            AdminSocket socket = new AdminSocket(path, listener, commands);
            Thread.ofPlatform().daemon().name("sallyport-control-admin").start(socket::run);
            return socket;
        } catch (IOException e) {
            throw new ConfigException(
                    "/state_dir", "no socket in it: " + e, "a folder with a path of at most 90 bytes");
        }
    }

    private static void bind(ServerSocketChannel listener, Path path) throws IOException {
        try {
            listener.bind(UnixDomainSocketAddress.of(path));
            PrivateFiles.restrict(path);
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    private void run() {
        while (listener.isOpen()) {
            try {
                SocketChannel client = listener.accept();
                Thread.ofPlatform()
                        .daemon()
                        .name("sallyport-control-admin-client")
                        .start(() -> serve(client));
            } catch (AsynchronousCloseException e) {
                LOG.debug("the administrative socket is closed");
            } catch (IOException e) {
                LOG.warn("the administrative socket fails: {}", e.toString());
                pause();
            }
        }
    }

    /** Such as when the process has no file descriptors left: trying at once would take a processor. */
    private static void pause() {
        try {
            Thread.sleep(RETRY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(SocketChannel client) {
        try (client) {
            AdminCommands.Outcome outcome = commands.run(Json.parse(read(client, LARGEST)));
            client.write(ByteBuffer.wrap(Json.bytes(outcome)));
        } catch (JsonProcessingException e) {
            LOG.warn("a command that is no JSON");
        } catch (IOException | RuntimeException e) {
            LOG.warn("a command failed", e);
        }
    }

    /** All that the peer sends. */
    private static String read(SocketChannel peer, int largest) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        while (peer.read(buffer) >= 0) {
            bytes.write(buffer.array(), 0, buffer.position());
            buffer.clear();
            if (bytes.size() > largest) {
                throw new IOException("a command, or an answer, of more than " + largest + " bytes");
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Connects to the control plane that listens on a socket; null when none does. */
    static @Nullable SocketChannel connect(Path socket) throws IOException {
        if (!Files.exists(socket)) {
            return null;
        }
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            return channel;
        } catch (ConnectException e) {
            channel.close(); // the socket of a process that was killed
            return null;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Sends a command to a control plane. */
    static AdminCommands.Outcome send(SocketChannel channel, byte[] request) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(request);
        while (out.hasRemaining()) {
            channel.write(out);
        }
        channel.shutdownOutput();
        String answer = read(channel, LARGEST_ANSWER);
        if (answer.isEmpty()) {
            throw new IOException("the control plane did not answer; its log says why");
        }
        return Json.read(answer, AdminCommands.Outcome.class);
    }

    @Override
    public void close() {
        try {
            listener.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.warn("the administrative socket does not close: {}", e.toString());
        }
    }
}
