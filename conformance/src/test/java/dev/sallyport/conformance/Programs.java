package dev.sallyport.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs of this machine. */
public final class Programs {

    private static final long LIMIT_SECONDS = 60;

    private Programs() {}

    /** Whether a program is on the path and this command of it ends well. */
    public static boolean work(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs a program to its end and hands out what it printed. Fails the test unless it ended well. */
    public static String run(Path folder, List<String> command) throws Exception {
        Path output = Files.createTempFile(folder, "output", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            process.getOutputStream().close();
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as("%s ends in time; so far: %s", command, Files.readString(output))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        String printed = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as("%s: %s", command, printed).isZero();
        return printed;
    }
}
