package dev.sallyport.sources.vault;

import dev.sallyport.spi.SecretException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One run of a program, limited in time and output. When it is over, neither the program nor its children are left. */
final class ProgramRun {

    private static final int KEPT_OF_STANDARD_ERROR = 4096;

    private final Process process;
    private final String name;
    private final Limits limits;
    private final long end;

    private ProgramRun(Process process, String name, Limits limits) {
        this.process = process;
        this.name = name;
        this.limits = limits;
        this.end = System.nanoTime() + limits.time().toNanos();
    }

    /** The most time that it may take, and the most that it may write to standard output. */
    record Limits(Duration time, int outputBytes) {

        static final Limits USUAL = new Limits(Duration.ofSeconds(30), 64 * 1024);
    }

    /** Its exit code, all of its output, and the beginning of its standard error. */
    record Outcome(int exit, byte[] output, byte[] errorOutput) {}

    /**
     * Runs a program with an empty standard input and no variables but these.
     *
     * @throws SecretException when it cannot be run, or reaches a limit
     */
    static Outcome of(List<String> command, Map<String, String> environment, Limits limits)
            throws SecretException, InterruptedException {
        String name = command.getFirst();
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new SecretException(name + " cannot be started: " + e.getMessage());
        }
        try {
            return new ProgramRun(process, name, limits).outcome();
        } finally {
            end(process);
        }
    }

    private Outcome outcome() throws SecretException, InterruptedException {
        FutureTask<byte[]> errorOutput = inBackground(() -> beginning(process.getErrorStream()));
        FutureTask<byte[]> output = inBackground(() -> process.getInputStream().readNBytes(limits.outputBytes() + 1));
        try {
            process.getOutputStream().close();
            byte[] bytes = output.get(left(), TimeUnit.NANOSECONDS);
            if (bytes.length > limits.outputBytes()) {
                Arrays.fill(bytes, (byte) 0);
                throw new SecretException(name + " wrote more than " + limits.outputBytes() + " bytes");
            }
            if (!process.waitFor(left(), TimeUnit.NANOSECONDS)) {
                throw new TimeoutException();
            }
            return new Outcome(process.exitValue(), bytes, errorOutput.get(left(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            throw new SecretException(
                    name + " did not end within " + limits.time().toSeconds() + " s");
        } catch (IOException | ExecutionException e) {
            throw new SecretException(name + ": its output cannot be read");
        }
    }

    private long left() {
        return Math.max(0, end - System.nanoTime());
    }

    private static FutureTask<byte[]> inBackground(Callable<byte[]> read) {
        FutureTask<byte[]> task = new FutureTask<>(read);
        Thread.ofPlatform().daemon().name("vault-command").start(task);
        return task;
    }

    /** Reads to the end, so that the program never waits, and keeps the beginning. */
    private static byte[] beginning(InputStream in) throws IOException {
        byte[] kept = in.readNBytes(KEPT_OF_STANDARD_ERROR);
        in.transferTo(OutputStream.nullOutputStream());
        return kept;
    }

    /** Kills the program first, so that it starts nothing more, then its children. */
    private static void end(Process process) {
        Set<ProcessHandle> family = new HashSet<>();
        boolean more = collect(process.toHandle(), family);
        process.destroyForcibly();
        while (more) {
            family.forEach(ProcessHandle::destroyForcibly);
            more = false;
            for (ProcessHandle member : Set.copyOf(family)) {
                more |= collect(member, family);
            }
        }
        try {
            process.getInputStream().close();
            process.getErrorStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean collect(ProcessHandle of, Set<ProcessHandle> family) {
        return of.descendants().map(family::add).reduce(false, Boolean::logicalOr);
    }
}
