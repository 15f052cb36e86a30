package dev.sallyport.sandboxd.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.sandbox.VmDriver;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests on a UNIX socket that belongs to one user, with mode 0600. Whoever is at the other end is asked of the
 * kernel for each connection; anybody else than that user or this process's own is shown the door before a byte is read.
 * One request on a connection, and so many connections at a time.
 */
public final class SocketServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SocketServer.class);
    private static final int MOST_CONNECTIONS = 64;

    /** Those with so many variables that all places together would take a lot of memory. */
    private static final int MOST_LONG_REQUESTS = 4;

    /** How the folder's name begins in which a socket is made, and the socket's name there. */
    private static final String HIDDEN = ".sandboxd";

    private static final String FRESH = "s";

    /** What a request that was interrupted needs to put things right, such as to let a guest go on. */
    private static final Duration TIME_TO_CLEAR_UP = Duration.ofSeconds(10);

    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Path path;
    private final ServerSocketChannel listener;
    private final Set<UserPrincipal> admitted;
    private final Dispatcher dispatcher;
    private final Clients clients;
    private final Semaphore places = new Semaphore(MOST_CONNECTIONS);
    private final Semaphore longRequests = new Semaphore(MOST_LONG_REQUESTS);
    private final Set<Thread> answering = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sandboxd-clock").factory());

    /**
     * How clients are treated.
     *
     * @param patience how long one may take to ask, and to take its answer
     * @param threads what serves them
     * @param end how long requests may go on when the server is closed
     */
    record Clients(Duration patience, ThreadFactory threads, Duration end) {}

    private SocketServer(
            Path path,
            ServerSocketChannel listener,
            Set<UserPrincipal> admitted,
            Dispatcher dispatcher,
            Clients clients) {
        this.path = path;
        this.listener = listener;
        this.admitted = admitted;
        this.dispatcher = dispatcher;
        this.clients = clients;
    }

    /**
     * Listens. A socket that another process left behind is replaced.
     *
     * @param path its path, at most 90 bytes
     * @param user who may connect, besides this process's own user
     * @throws IOException also when another process listens there
     */
    public static SocketServer open(Path path, UserPrincipal user, VmDriver driver) throws IOException {
        return open(
                path,
                user,
                driver,
                new Clients(
                        Duration.ofSeconds(10),
                        Thread.ofPlatform().name("sandboxd-request").factory(),
                        Duration.ofSeconds(30)));
    }

    static SocketServer open(Path path, UserPrincipal user, VmDriver driver, Clients clients) throws IOException {
        refuseIfTaken(path);
        Path folder = path.toAbsolutePath().resolveSibling("");
        removeHidden(folder);
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        Path hidden = Files.createTempDirectory(
                folder, HIDDEN, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try {
            // Nobody can reach the socket before it has its owner and its mode.
            Path fresh = hidden.resolve(FRESH);
            listener.bind(UnixDomainSocketAddress.of(fresh));
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-------"));
            Files.getFileAttributeView(fresh, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setOwner(user);
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            listener.close();
            throw e;
        } finally {
            removeHiddenOne(hidden);
        }
        SocketServer server =
                new SocketServer(path, listener, new HashSet<>(List.of(user, self())), new Dispatcher(driver), clients);
        Thread.ofPlatform().name("sandboxd-socket").start(server::run);
        return server;
    }

    private static void refuseIfTaken(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (SocketChannel other = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.connect(UnixDomainSocketAddress.of(path));
        } catch (IOException e) {
            LOG.info("replacing {}, where nobody listens", path);
            return;
        }
        throw new IOException("another process listens at " + path);
    }

    /** A process that is killed while it makes a socket leaves the folder in which nobody else reaches it. */
    private static void removeHidden(Path folder) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, HIDDEN + "*")) {
            for (Path hidden : left) {
                if (Files.isDirectory(hidden, LinkOption.NOFOLLOW_LINKS)
                        && Files.getOwner(hidden, LinkOption.NOFOLLOW_LINKS).equals(self())) {
                    removeHiddenOne(hidden);
                }
            }
        }
    }

    private static void removeHiddenOne(Path hidden) throws IOException {
        Files.deleteIfExists(hidden.resolve(FRESH));
        Files.delete(hidden);
    }

    private static UserPrincipal self() throws IOException {
        return Files.getOwner(Path.of("/proc/self"));
    }

    private void run() {
        while (listener.isOpen()) {
            try {
                accept();
            } catch (AsynchronousCloseException e) {
                LOG.debug("the socket is closed");
            } catch (IOException | RuntimeException | Error e) {
                // Without threads or memory this request fails; the next one may not.
                LOG.warn("the socket fails: {}", e.toString());
                pause();
            }
        }
    }

    private void accept() throws IOException {
        SocketChannel client = listener.accept();
        if (!places.tryAcquire()) {
            refuse(client, Reason.EXHAUSTED, "sandboxd answers " + MOST_CONNECTIONS + " requests already");
            return;
        }
        boolean started = false;
        try {
            clients.threads().newThread(() -> serve(client)).start();
            started = true;
        } finally {
            if (!started) {
                places.release();
                client.close();
            }
        }
    }

    /** Such as when there are no file descriptors left: trying at once would take a processor. */
    private static void pause() {
        try {
            Thread.sleep(RETRY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(SocketChannel client) {
        answering.add(Thread.currentThread());
        try (client) {
            UserPrincipal peer =
                    client.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
            if (!admitted.contains(peer)) {
                LOG.warn("refused a connection of user {}", peer.getName());
                refuse(client, Reason.INVALID, "this user may not ask sandboxd");
                return;
            }
            ObjectNode answer = ask(client);
            if (answer != null) {
                tell(client, answer);
            }
        } catch (ClosedChannelException e) {
            LOG.info(
                    "closed a connection that did not ask, or take its answer, in {} s",
                    clients.patience().toSeconds());
        } catch (IOException e) {
            LOG.info("a client went away: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            answering.remove(Thread.currentThread());
            places.release();
        }
    }

    /** Null where nothing is asked. */
    private @Nullable ObjectNode ask(SocketChannel client) throws IOException, InterruptedException {
        AtomicBoolean isLong = new AtomicBoolean();
        try {
            JsonNode request = request(client, () -> {
                longRequests.acquire();
                isLong.set(true);
            });
            return request == null ? null : dispatcher.answer(request);
        } catch (WireException e) {
            return Dispatcher.error(Reason.INVALID, e.getMessage());
        } finally {
            if (isLong.get()) {
                longRequests.release();
            }
        }
    }

    private @Nullable JsonNode request(SocketChannel client, Lines.Room room)
            throws IOException, WireException, InterruptedException {
        Future<?> deadline = deadline(client);
        try {
            return Lines.readRequest(client, room);
        } finally {
            deadline.cancel(false);
        }
    }

    private void tell(SocketChannel client, ObjectNode answer) throws IOException {
        Future<?> deadline = deadline(client);
        try {
            Lines.write(client, answer);
        } finally {
            deadline.cancel(false);
        }
    }

    private Future<?> deadline(SocketChannel client) {
        return clock.schedule(
                () -> {
                    client.close();
                    return null;
                },
                clients.patience().toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private static void refuse(SocketChannel client, Reason reason, String message) {
        try (client) {
            client.configureBlocking(false);
            Lines.write(client, Dispatcher.error(reason, message));
        } catch (IOException e) {
            LOG.debug("a refused client went away", e);
        }
    }

    /**
     * Closes and removes the socket, and waits for requests that are being answered. One that takes long is interrupted: what
     * it has stopped must not stay so when this process has ended.
     */
    @Override
    public void close() throws IOException {
        listener.close();
        Files.deleteIfExists(path);
        try {
            if (!ended(clients.end())) {
                LOG.warn("requests are still being answered: they are interrupted");
                answering.forEach(Thread::interrupt);
                if (!ended(TIME_TO_CLEAR_UP)) {
                    LOG.error("requests are still being answered although they were interrupted");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        clock.shutdownNow();
    }

    private boolean ended(Duration within) throws InterruptedException {
        boolean all = places.tryAcquire(MOST_CONNECTIONS, within.toMillis(), TimeUnit.MILLISECONDS);
        if (all) {
            places.release(MOST_CONNECTIONS);
        }
        return all;
    }
}
