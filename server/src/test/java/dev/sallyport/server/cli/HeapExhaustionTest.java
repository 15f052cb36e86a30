package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that has no heap left ends, and its standard output, the audit log, has nothing in it that is not a record. */
class HeapExhaustionTest {

    private static final Pattern SAID = Pattern.compile("-X(?:X:\\+\\w*(?:OutOfMemory|VMOutput)\\w*|log:disable)");
    private static final String RECORD = "{\"msg\":\"request\"}\n";

    @TempDir
    Path folder;

    @Test
    void isToldOnStandardError() throws Exception {
        // given: the launcher's own options for it
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        Matcher options = SAID.matcher(Files.readString(Path.of("src", "dist", "bin", "sallyport")));
        while (options.find()) {
            command.add(options.group());
        }
        command.addAll(List.of("-Xmx32m", "-cp", System.getProperty("java.class.path"), Hoarder.class.getName()));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");

        // when
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();

        // then
        try {
            assertThat(process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(3);
            assertThat(out).hasContent(RECORD);
            assertThat(err).content(StandardCharsets.UTF_8).contains("java.lang.OutOfMemoryError: Java heap space");
        } finally {
            process.destroyForcibly();
        }
    }

    /** Writes one record, and then takes all memory. */
    static final class Hoarder {

        private Hoarder() {}

        public static void main(String[] arguments) {
            System.out.print(RECORD);
            System.out.flush();
            List<byte[]> hoard = new ArrayList<>();
            while (hoard.size() < 1 << 20) {
                hoard.add(new byte[1 << 20]);
            }
        }
    }
}
