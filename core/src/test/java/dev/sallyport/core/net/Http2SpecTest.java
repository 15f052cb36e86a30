package dev.sallyport.core.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.core.config.ProxyLimits;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** h2spec 2.2.0, all of it, strict: RFC 9113 and 7541 as somebody else reads them. */
@Tag("conformance")
class Http2SpecTest {

    private static final String ARCHIVE = "/h2spec/2.2.0/h2spec_linux_amd64.tar.gz";
    private static final int TAR_BLOCK = 512;

    @TempDir
    static Path folder;

    private static Path program;

    @BeforeAll
    static void unpack() throws IOException {
        boolean fits = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeTrue(fits, "h2spec comes for Linux on x86-64 only");
        program = folder.resolve("h2spec");
        try (InputStream archive = Http2SpecTest.class.getResourceAsStream(ARCHIVE)) {
            assertThat(archive).as("the archive with h2spec").isNotNull();
            unpack(new DataInputStream(new GZIPInputStream(archive)));
        }
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    private static void unpack(DataInputStream tar) throws IOException {
        byte[] header = new byte[TAR_BLOCK];
        while (true) {
            tar.readFully(header);
            String name = text(header, 0, 100);
            int size = Integer.parseInt(text(header, 124, 12), 8);
            byte[] content = new byte[(size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK];
            tar.readFully(content);
            if (name.endsWith("h2spec")) {
                try (var out = Files.newOutputStream(program)) {
                    out.write(content, 0, size);
                }
                return;
            }
        }
    }

    private static String text(byte[] block, int from, int length) {
        String text = new String(block, from, length, StandardCharsets.US_ASCII);
        int end = text.indexOf('\0');
        return (end < 0 ? text : text.substring(0, end)).strip();
    }

    @Test
    void passesOverTls() throws Exception {
        passes("https", "-t", "-k");
    }

    @Test
    void passesInTheClear() throws Exception {
        passes("http");
    }

    private static void passes(String listener, String... options) throws Exception {
        ProxyLimits calm = Limits.of("header_read_timeout: 10s, client_idle_timeout: 60s, "
                + "first_bytes_timeout: 10s, client_hello_timeout: 10s");
        try (Proxy proxy = new Proxy(calm)) {
            int port = (listener.equals("https") ? proxy.https : proxy.http)
                    .address()
                    .getPort();
            Path report = Files.createTempFile(folder, "report", ".txt");
            List<String> command =
                    new ArrayList<>(List.of(program.toString(), "-h", "127.0.0.1", "-p", String.valueOf(port), "-S"));
            command.addAll(List.of(options));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(report.toFile())
                    .start();
            boolean ended = process.waitFor(180, TimeUnit.SECONDS);
            process.destroyForcibly();

            String text = Files.readString(report);
            System.out.println(text);
            assertThat(ended).as("h2spec has ended").isTrue();
            assertThat(text).contains("146 tests, 146 passed, 0 skipped, 0 failed");
            assertThat(process.exitValue()).isZero();
        }
    }
}
