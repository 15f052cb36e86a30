package dev.sallyport.server.run.linux;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.UnavailableException;
import dev.sallyport.server.run.linux.NetworkNamespace.Sockets;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A network namespace with a thread of this process in it: it opens the sockets there, and starts the program. All other
 * threads stay outside, where they accept from those sockets.
 */
public final class Jail implements AutoCloseable {

    private static final int MARK_BYTES = 16;
    private static final long MARK_MILLIS = 50;

    private final ExecutorService inside;
    private final CompletableFuture<NetworkNamespace> entered;
    private final CompletableFuture<Sockets> sockets;
    private final byte[] mark = new byte[MARK_BYTES];
    private @Nullable Thread reader;

    private Jail(Set<Integer> ports) {
        new SecureRandom().nextBytes(mark);
        inside = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("sallyport-inside").factory());
        entered = CompletableFuture.supplyAsync(Jail::enter, inside);
        sockets = entered.thenApplyAsync(namespace -> open(namespace, ports), inside);
    }

    /** Begins to make one; does not wait. */
    public static Jail make(Set<Integer> ports) {
        return new Jail(ports);
    }

    private static NetworkNamespace enter() {
        try {
            return NetworkNamespace.enter(SystemCalls.open());
        } catch (UnavailableException | SystemCallException e) {
            throw new CompletionException(e);
        }
    }

    private static Sockets open(NetworkNamespace namespace, Set<Integer> ports) {
        try {
            Sockets opened = namespace.open(ports);
            namespace.filterCalls();
            return opened;
        } catch (SystemCallException e) {
            throw new CompletionException(e);
        }
    }

    /**
     * The sockets inside; waits for them.
     *
     * @throws UnavailableException when there can be no such namespace; the message is the reason
     */
    public Sockets sockets() throws UnavailableException {
        return joined(sockets);
    }

    /** Reports what the kernel refuses inside, on a thread of its own, until {@link #settle}. */
    public void watch(Consumer<RefusedPacket> receiver) throws UnavailableException {
        RefusedPackets packets = new RefusedPackets(joined(sockets).refusals(), mark, receiver);
        reader = Thread.ofPlatform().daemon().name("sallyport-refusals").start(packets);
    }

    /** Starts a program inside; everything else is as with {@link ProcessBuilder#start}. */
    public Process start(ProcessBuilder program) throws IOException {
        try {
            return CompletableFuture.supplyAsync(() -> started(program), inside).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof IOException fault) {
                throw fault;
            }
            throw e;
        }
    }

    private static Process started(ProcessBuilder program) {
        try {
            return program.start();
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    /**
     * Waits until everything that the kernel has refused so far is reported. The mark of the end is sent again until it
     * is seen: the kernel drops it where the packet socket is full.
     */
    public void settle() throws InterruptedException {
        Thread reading = reader;
        while (reading != null && reading.isAlive()) {
            entered.thenAcceptAsync(namespace -> namespace.mark(mark), inside).join();
            reading.join(MARK_MILLIS);
        }
    }

    private static <T> T joined(CompletableFuture<T> future) throws UnavailableException {
        try {
            return future.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof UnavailableException || cause instanceof SystemCallException) {
                throw new UnavailableException(String.valueOf(cause.getMessage()));
            }
            throw e;
        }
    }

    /** The thread ends, and with the last process and socket the namespace. */
    @Override
    public void close() {
        inside.shutdown();
    }
}
