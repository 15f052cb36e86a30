package dev.sallyport.conformance.echo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.NetworkNamespace;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The defaults ({@code redact_responses: auto}) where the origin's address is not a loopback one, in a network namespace.
 * Needs root and ip.
 */
class EchoNamespaceTest {

    private static final String ORIGIN = "10.99.3.1";

    @TempDir
    Path folder;

    private NetworkNamespace namespace;

    @BeforeEach
    void add() throws Exception {
        namespace = NetworkNamespace.add("spe");
        namespace.ip("link set lo up");
        namespace.ip("addr add " + ORIGIN + "/32 dev lo");
    }

    @AfterEach
    void remove() throws Exception {
        if (namespace != null) {
            namespace.close();
        }
    }

    @Test
    @Tag("long")
    void nothingComesBackWithTheDefaults() throws Exception {
        List<String> lines = host("");

        assertThat(lines).singleElement().asString().matches("runs: [0-9]{4,}");
    }

    /** What tells that the other test would notice. */
    @Tag("long")
    @Test
    void everythingComesBackWhereThatIsConfigured() throws Exception {
        List<String> lines = host(", redact_responses: off");

        for (Carrier carrier : Carrier.all()) {
            assertThat(lines).anySatisfy(line -> assertThat(line).startsWith(carrier.name() + ", "));
        }
    }

    /** What the host says. */
    private List<String> host(String settings) throws Exception {
        Path errors = folder.resolve("stderr");
        Process host = new ProcessBuilder(
                        namespace.command(Tools.java(EchoHost.class, folder.toString(), ORIGIN, settings, "211")))
                .redirectError(errors.toFile())
                .start();
        try {
            host.getOutputStream().close();
            List<String> lines = host.inputReader(StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(EchoHost.SAYS))
                    .map(line -> line.substring(EchoHost.SAYS.length()))
                    .toList();
            assertThat(host.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(host.exitValue()).as(() -> text(errors)).isZero();
            return lines;
        } finally {
            host.destroyForcibly();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
