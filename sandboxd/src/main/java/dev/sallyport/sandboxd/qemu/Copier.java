package dev.sallyport.sandboxd.qemu;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandboxd.system.Btrfs;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.vm.Body;
import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes copies of a virtual machine that runs: of its disk, and of its memory, both as they are at one moment. */
final class Copier {

    private static final Logger LOG = LoggerFactory.getLogger(Copier.class);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration RETRY = Duration.ofMillis(50);

    /** For so long a guest changes its memory while that is written; then it stands still until the rest is written, too. */
    private static final Duration LONGEST_CHASE = Duration.ofSeconds(4);

    /** How far a migration is that does nothing any more, the one that has not begun among them. */
    private static final Set<String> OVER = Set.of("", "none", "completed", "failed", "cancelled");

    private static final Duration STEP = Duration.ofMillis(20);
    private static final int PART = 1 << 20;

    /** In bytes per second: more than there is. */
    private static final long ALL = 1L << 50;

    /** What is not thawed in time, because nobody is there to do it, thaws by itself; its clock stands still meanwhile. */
    private static final String FREEZE = """
            b=/run/sallyport/busybox
            $b sync
            $b fsfreeze --freeze / || exit 1
            ($b sleep 10; $b fsfreeze --unfreeze /) > /dev/null 2>&1 < /dev/null &
            """;

    private static final String THAW = "/run/sallyport/busybox fsfreeze --unfreeze /";

    private final VmId id;
    private final QemuFiles files;

    Copier(VmId id, QemuFiles files) {
        this.id = id;
        this.files = files;
    }

    /**
     * The guest writes all that it has in memory, and nothing more, and then stands still. One that does not do so is copied
     * as it is, as after a loss of power, and without its memory: it would not be renewed, either.
     *
     * @param shape of the machine; empty for no copy of its memory
     * @return for how long it stood still
     */
    Duration take(Body.Target target, String shape)
            throws IOException, WireException, CommandException, InterruptedException {
        boolean frozen = ask(FREEZE);
        long still;
        try {
            still = frozen && !shape.isEmpty() ? save(target, shape) : pause();
            Command.of(
                            "cp",
                            "--sparse=always",
                            Btrfs.has(files.disk()) ? "--reflink=never" : "--reflink=auto",
                            "--",
                            files.disk().toString(),
                            target.disk().toString())
                    .within(LONGEST_PAUSE)
                    .writing(target.most())
                    .run();
        } finally {
            resume();
            if (frozen) {
                ask(THAW);
            }
        }
        return Duration.ofNanos(System.nanoTime() - still);
    }

    /** Writes its memory, and leaves it standing still, or else does without. Returns since when it stands still. */
    private long save(Body.Target target, String shape) throws IOException, WireException, InterruptedException {
        boolean saved = false;
        try {
            long still = write(target, shape);
            saved = true;
            return still;
        } catch (IOException | WireException e) {
            LOG.warn("the copy of {} is without its memory, and what is made from it boots: {}", id, e.getMessage());
            giveUp();
            return pause();
        } finally {
            if (!saved) {
                Files.deleteIfExists(target.memory());
            }
        }
    }

    /** QEMU writes most of it while the guest runs, what has changed since, and so on until little is left. */
    private long write(Body.Target target, String shape) throws IOException, WireException, InterruptedException {
        try (StateSocket socket = StateSocket.open(files.outgoing());
                SavedState.Writer writer = new SavedState.Writer(target.memory(), target.mostMemory());
                Qmp qmp = Qmp.open(files.monitor(), LONGEST_PAUSE)) {
            qmp.execute("migrate-set-parameters", Lines.object().put("max-bandwidth", ALL));
            qmp.execute(
                    "migrate",
                    Lines.object().put("uri", "unix:" + files.outgoing().getFileName()));
            long begin = System.nanoTime();
            long stopped = 0;
            ByteBuffer part = ByteBuffer.allocate(PART);
            while (socket.read(part, STEP) >= 0) {
                writer.write(part.flip());
                part.clear();
                long passed = System.nanoTime() - begin;
                if (stopped == 0 && passed > LONGEST_CHASE.toNanos()) {
                    stopped = System.nanoTime();
                    qmp.execute("stop");
                }
                if (passed > LONGEST_PAUSE.toNanos()) {
                    throw new IOException("it takes more than " + LONGEST_PAUSE.toSeconds() + " s");
                }
            }
            long end = System.nanoTime();
            Duration downtime = awaitCompletion(qmp);
            writer.finish(shape);
            return stopped == 0 ? end - downtime.toNanos() : stopped;
        }
    }

    /** Returns when QEMU writes no more, which may have let the guest go on. */
    private void giveUp() throws IOException, WireException, InterruptedException {
        try (Qmp qmp = Qmp.open(files.monitor())) {
            qmp.execute("migrate_cancel");
            while (!OVER.contains(qmp.execute("query-migrate").path("status").asText())) {
                Thread.sleep(STEP);
            }
        }
    }

    private static Duration awaitCompletion(Qmp qmp) throws IOException, WireException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            JsonNode told = qmp.execute("query-migrate");
            String status = told.path("status").asText();
            if (status.equals("completed")) {
                return Duration.ofMillis(told.path("downtime").asLong());
            }
            if (OVER.contains(status) || System.nanoTime() > deadline) {
                throw new IOException("QEMU has not written all of its state: " + status + " "
                        + told.path("error-desc").asText());
            }
            Thread.sleep(STEP);
        }
    }

    private boolean ask(String script) throws InterruptedException {
        try {
            new GuestPort(files.port()).run(script, List.of(), stream -> {}, 0);
            return true;
        } catch (IOException | WireException | CommandException e) {
            LOG.info("{} does not do what it is asked for: {}", id, e.getMessage());
            return false;
        }
    }

    private long pause() throws IOException, WireException, InterruptedException {
        long still = System.nanoTime();
        try (Qmp qmp = Qmp.open(files.monitor())) {
            qmp.execute("stop");
        }
        return still;
    }

    /** Lets it go on where it stands still. What fails is tried again for some seconds. An interruption comes after that. */
    void resume() throws IOException, WireException {
        boolean interrupted = Thread.interrupted();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (!goesOn(deadline)) {
                interrupted |= rest();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean goesOn(long deadline) throws IOException, WireException {
        try (Qmp qmp = Qmp.open(files.monitor())) {
            String status = qmp.status();
            if (List.of("paused", "postmigrate").contains(status)) {
                qmp.execute("cont");
            }
            return !status.equals("finish-migrate") || System.nanoTime() > deadline;
        } catch (IOException | WireException e) {
            if (System.nanoTime() > deadline) {
                LOG.error("{} may stand still: it cannot be told to go on", id, e);
                throw e;
            }
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns whether it was interrupted. */
    private static boolean rest() {
        boolean interrupted = Thread.interrupted();
        try {
            Thread.sleep(RETRY);
            return interrupted;
        } catch (InterruptedException e) {
            return true;
        }
    }
}
