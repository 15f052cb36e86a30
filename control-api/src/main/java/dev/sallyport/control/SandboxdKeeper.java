package dev.sallyport.control;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs sandboxd as a process of its own, and again whenever it ends, until it is closed. It ends with this process, however
 * that does: its standard input then ends. Guests go on in any case.
 */
final class SandboxdKeeper implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SandboxdKeeper.class);

    private final Pace pace;
    private final CountDownLatch closed = new CountDownLatch(1);
    private @Nullable Process running;

    /**
     * How long is waited.
     *
     * @param first before it is started again; each time in a row, twice as long
     * @param longest at most
     * @param settled after so long a run the next pause is the first one
     * @param end for its end
     */
    record Pace(Duration first, Duration longest, Duration settled, Duration end) {

        /** The end leaves some of the time that all of the end has. */
        static final Pace USUAL =
                new Pace(Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(5));

        /**
         * How long is waited after a run.
         *
         * @param last the pause before that run; null when there was none
         * @param lived how long the run took
         */
        Duration after(@Nullable Duration last, Duration lived) {
            if (last == null || lived.compareTo(settled) >= 0) {
                return first;
            }
            Duration next = last.multipliedBy(2);
            return next.compareTo(longest) < 0 ? next : longest;
        }
    }

    /**
     * What is run.
     *
     * @param environment all of it
     * @param socket where it is to listen
     */
    record Launch(List<String> command, Map<String, String> environment, Path socket) {}

    SandboxdKeeper(Pace pace) {
        this.pace = pace;
    }

    /** Whether a process listens at a socket. */
    static boolean isAnswered(Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (IOException e) {
            return Files.exists(socket); // somebody listens, and has no room for more
        }
    }

    /** Begins; called at most once. The thread ends when nothing is to be started any more. */
    Thread start(Launch launch) {
        return Thread.ofPlatform().daemon().name("sallyport-sandboxd").start(() -> {
            try {
                keep(launch);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void keep(Launch launch) throws InterruptedException {
        Duration pause = null;
        while (!isAnswered(launch.socket())) {
            long began = System.nanoTime();
            String end = run(launch);
            if (end == null) {
                return;
            }
            pause = pace.after(pause, Duration.ofNanos(System.nanoTime() - began));
            LOG.warn("sandboxd {}; it is started again in {} s", end, pause.toSeconds());
            if (closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        }
        LOG.info("sandboxd answers at {}, which somebody else has started", launch.socket());
    }

    /** How it ended; null when this was closed. */
    private @Nullable String run(Launch launch) throws InterruptedException {
        Process process;
        synchronized (this) {
            if (closed.getCount() == 0) {
                return null;
            }
            try {
                process = begin(launch);
            } catch (IOException e) {
                return "cannot be started: " + e.getMessage();
            }
            running = process;
        }
        LOG.info("sandboxd is started, process {}", process.pid());
        int code = process.waitFor();
        return closed.getCount() == 0 ? null : "has ended with exit code " + code;
    }

    /** Standard output may be the audit log of this process; what sandboxd says there is said to nobody. */
    private static Process begin(Launch launch) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(launch.command())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.INHERIT);
        builder.environment().clear();
        builder.environment().putAll(launch.environment());
        return builder.start();
    }

    /** Ends it, and waits, but not for requests that take long: it ends when it has answered them. */
    @Override
    public void close() {
        Process process;
        synchronized (this) {
            closed.countDown();
            process = running;
        }
        if (process == null || !process.isAlive()) {
            return;
        }
        process.destroy();
        try {
            if (process.waitFor(pace.end().toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.info("sandboxd has ended; guests go on");
            } else {
                LOG.warn("sandboxd ends later, when it has answered what it was asked");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
