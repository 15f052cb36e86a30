package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.SandboxdKeeper.Pace;
import dev.sallyport.sandbox.SandboxdOptions;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who starts sandboxd: a proxy that is root, where nobody has. */
class SandboxdStartTest {

    private static final Map<String, String> ENVIRONMENT =
            Map.of("PATH", System.getenv("PATH"), "LANG", "C.UTF-8", "API_TOKEN", "secret");

    private final SandboxdKeeper keeper = new SandboxdKeeper(Pace.USUAL);
    private Path socket;
    private Path file;

    /** Stands in the place of the program: writes down what it was given. */
    private Path program;

    @TempDir
    private Path folder;

    @BeforeEach
    void write() throws IOException {
        socket = folder.resolve("s");
        file = folder.resolve("proxy.yaml");
        program = folder.resolve("program");
        Files.writeString(program, "cd " + folder + "; env > names; echo \"$@\" > new; mv new words; exec cat\n");
    }

    @AfterEach
    void end() {
        keeper.close();
    }

    private boolean begin(String user, String sandboxes) {
        return begin(user, sandboxes, new Surroundings.Program(List.of("sh", program.toString()), file, true));
    }

    private boolean begin(String user, String sandboxes, Surroundings.Program started) {
        ControlConfig config = Sections.control(
                "control: {listen: \"127.0.0.1:8090\", sandboxes: {socket: " + socket + sandboxes + "}}\n", folder);
        return new SandboxdStart(config, started, ENVIRONMENT::get, user)
                .begin(keeper, new SandboxdOptions.Gate(8080, 0, folder.resolve("ca.pem")));
    }

    @Test
    void itGetsTheOptionsThatAreInForceAndNoSecrets() throws Exception {
        Tools.require("setsid");

        assertThat(begin("root", ", driver: auto, sandboxd: {user: ada}")).isTrue();

        await().atMost(Patience.usual()).until(() -> Files.exists(folder.resolve("words")));
        assertThat(Files.readString(folder.resolve("words")))
                .startsWith("sandboxd --")
                .contains(
                        "--driver auto",
                        "--socket " + socket,
                        "--user ada",
                        "--run-dir /run/sallyport/sandboxd",
                        "--gate-port 8080",
                        "--ca-cert " + folder.resolve("ca.pem"),
                        "--end-with-input true")
                .doesNotContain("--dns-port");
        assertThat(Files.readString(folder.resolve("names")))
                .contains("JAVA_HOME=" + System.getProperty("java.home"), "LANG=C.UTF-8")
                .doesNotContain("secret");
    }

    @Test
    void whoeverIsNotRootIsToldWhatToRun() {
        try (LogCapture log = LogCapture.open()) {
            assertThat(begin("ada", ", sandboxd: {user: ada}")).isFalse();
            assertThat(begin("eve", "")).isFalse();
            assertThat(begin("root", ", start: never")).isFalse();

            assertThat(log.text().lines())
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .endsWith("nobody answers at " + socket
                                            + ": VMs wait for sandboxd (expected, as root: sallyport sandboxd -config "
                                            + file + ")"),
                            line -> assertThat(line).endsWith("sallyport sandboxd -config " + file + " --user eve)"),
                            line -> assertThat(line).endsWith("sallyport sandboxd -config " + file + ")"));
        }
    }

    @Test
    void whereSomebodyAnswersNothingIsStarted() throws Exception {
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                LogCapture log = LogCapture.open()) {
            other.bind(UnixDomainSocketAddress.of(socket));

            assertThat(begin("root", "")).isFalse();

            assertThat(log.text()).endsWith("sandboxd answers at " + socket);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fake", "none"})
    void whatNeedsNoSandboxdStartsNone(String driver) {
        try (LogCapture log = LogCapture.open()) {
            assertThat(begin("root", ", driver: " + driver)).isFalse();

            assertThat(log.text()).doesNotContain("sandboxd"); // others may run beside it
        }
    }

    @Test
    void whoeverHasNotAskedForSandboxesGetsNone() {
        try (LogCapture log = LogCapture.open()) {
            List<String> words = List.of("sh", program.toString());

            assertThat(begin("root", "", new Surroundings.Program(words, file, false)))
                    .isFalse();
            assertThat(begin("root", "", new Surroundings.Program(List.of(), file, true)))
                    .as("part of another program")
                    .isFalse();

            assertThat(log.text()).doesNotContain("sandboxd"); // others may run beside it
        }
    }
}
