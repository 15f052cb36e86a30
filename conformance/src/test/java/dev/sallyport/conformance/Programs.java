package dev.sallyport.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Programs of this machine. */
public final class Programs {

    private static final long LIMIT_SECONDS = 3L * Patience.SECONDS;

    /** Against hangs alone: what is compiled or installed may take minutes where caches are empty and others work. */
    private static final long PREPARATION_SECONDS = 900;

    private Programs() {}

    /** Whether a program is on the path and this command of it ends well. The first call of one may compile what it needs. */
    public static boolean work(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            end(process, PREPARATION_SECONDS, List.of(command), () -> "nothing of it is kept");
            return process.exitValue() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }

    /** Runs a program to its end and hands out what it printed. Fails the test unless it ended well. */
    public static String run(Path folder, List<String> command) throws IOException {
        return run(folder, command, LIMIT_SECONDS);
    }

    /**
     * Makes what a client needs in order to exist, such as the program itself from its source, so that the clock of the
     * client does not run meanwhile. Fails the test unless that ended well.
     */
    public static void prepare(Path folder, List<String> command) throws IOException {
        run(folder, command, PREPARATION_SECONDS);
    }

    private static String run(Path folder, List<String> command, long seconds) throws IOException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        process.getOutputStream().close();
        end(process, seconds, command, () -> read(output));
        String printed = read(output);
        assertThat(process.exitValue()).as("%s: %s", command, printed).isZero();
        return printed;
    }

    /** How a program ended, and what it printed. */
    public record Ended(int code, byte[] out, String err) {}

    /** Runs a program to its end, whatever that is, with these variables alone beside the path, and this input. */
    public static Ended runAny(Path folder, Map<String, String> environment, byte[] input, List<String> command)
            throws IOException {
        Path in = Files.write(Files.createTempFile(folder, "input", ".bin"), input);
        Path out = Files.createTempFile(folder, "output", ".bin");
        Path err = Files.createTempFile(folder, "errors", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().retainAll(Set.of("PATH"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        end(process, LIMIT_SECONDS, command, () -> read(err));
        return new Ended(process.exitValue(), Files.readAllBytes(out), read(err));
    }

    /** Waits for a program to end; ends it, and fails, when it takes longer than it may. */
    public static void end(Process process, long seconds, List<String> command, Supplier<String> printed) {
        try {
            assertThat(process.waitFor(seconds, TimeUnit.SECONDS))
                    .as(() -> command + " ends within " + seconds + " s; so far it printed: " + printed.get())
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String read(Path output) {
        try {
            return new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
