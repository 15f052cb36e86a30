package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.SandboxdKeeper.Launch;
import dev.sallyport.control.SandboxdKeeper.Pace;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is run again whenever it ends, and ends with whoever runs it. */
class SandboxdKeeperTest {

    private static final Pace QUICK =
            new Pace(Duration.ofMillis(5), Duration.ofMillis(20), Duration.ofHours(1), Duration.ofSeconds(60));

    private final SandboxdKeeper keeper = new SandboxdKeeper(QUICK);

    @TempDir
    private Path folder;

    @AfterEach
    void end() {
        keeper.close();
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(10)).atMost(Patience.usual());
    }

    /** A shell that runs this in a folder. */
    private static Launch shell(Path folder, String script) {
        return new Launch(
                List.of("sh", "-c", "cd " + folder + "; " + script), Map.of("WORD", "hi"), folder.resolve("s"));
    }

    private void start(String script) {
        keeper.start(shell(folder, script));
    }

    private List<String> lines(String file) throws IOException {
        Path path = folder.resolve(file);
        return Files.exists(path) ? Files.readAllLines(path) : List.of();
    }

    /** The process whose number is in a file. */
    private ProcessHandle process(String file) throws IOException {
        soon().until(() -> lines(file).size() == 1);
        return ProcessHandle.of(Long.parseLong(lines(file).getFirst())).orElseThrow();
    }

    @Test
    void whatEndsIsStartedAgainAndALineSaysWhy() throws Exception {
        try (LogCapture log = LogCapture.open()) {
            start("echo run >> runs; exit 3");

            soon().until(() -> lines("runs").size() > 3);
            assertThat(log.text()).contains("sandboxd is started, process ");
            assertThat(log.warnings())
                    .allSatisfy(line ->
                            assertThat(line).contains("sandboxd has ended with exit code 3; it is started again in"));
        }
    }

    @Test
    void pausesBecomeLongerUntilItHasLivedForLong() throws Exception {
        Pace pace = new Pace(Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofHours(1), Duration.ofSeconds(1));

        assertThat(pace.after(null, Duration.ZERO)).hasSeconds(1);
        assertThat(pace.after(Duration.ofSeconds(1), Duration.ZERO)).hasSeconds(2);
        assertThat(pace.after(Duration.ofSeconds(2), Duration.ZERO)).hasSeconds(3);
        assertThat(pace.after(Duration.ofSeconds(3), Duration.ofMinutes(59))).hasSeconds(3);
        assertThat(pace.after(Duration.ofSeconds(3), Duration.ofHours(1))).hasSeconds(1);
    }

    @Test
    void whatCannotBeStartedIsTriedAgain() throws Exception {
        Path program = folder.resolve("program");
        try (LogCapture log = LogCapture.open()) {
            keeper.start(new Launch(List.of(program.toString()), Map.of(), folder.resolve("s")));
            soon().until(() -> log.text().contains("sandboxd cannot be started: "));
        }
        Path made = folder.resolve("made");
        Files.writeString(made, "#!/bin/sh\necho $$ > " + folder.resolve("pid") + "\nexec cat\n");
        assertThat(made.toFile().setExecutable(true)).isTrue();
        Files.move(made, program);

        assertThat(process("pid").isAlive()).isTrue();
    }

    @Test
    void itHasNothingOfTheEnvironmentButWhatItIsGiven() throws Exception {
        start("env > names; echo done > done; exec cat");

        soon().until(() -> !lines("done").isEmpty());
        assertThat(lines("names"))
                .contains("WORD=hi")
                .allMatch(line -> line.matches("(WORD|PWD|OLDPWD|SHLVL|_)=.*"), "the shell's own");
    }

    @Test
    void itEndsInOrderWhenTheKeeperIsClosed() throws Exception {
        start("trap 'echo asked > asked; exit 0' TERM; echo $$ > pid; while :; do sleep 0.05; done");
        ProcessHandle process = process("pid");

        keeper.close();

        assertThat(process.isAlive()).isFalse();
        assertThat(lines("asked")).containsExactly("asked");
    }

    @Test
    void oneThatTakesLongToEndIsLeftToItself() throws Exception {
        SandboxdKeeper hurried = new SandboxdKeeper(
                new Pace(Duration.ofMillis(5), Duration.ofMillis(20), Duration.ofHours(1), Duration.ofMillis(50)));
        hurried.start(shell(folder, "trap '' TERM; echo $$ > pid; exec sleep 600"));
        ProcessHandle process = process("pid");

        try (LogCapture log = LogCapture.open()) {
            hurried.close();

            assertThat(log.text()).contains("sandboxd ends later");
        }
        assertThat(process.isAlive()).isTrue();
        process.destroyForcibly();
    }

    @Test
    void itSeesTheEndOfItsInputWhenThisProcessIsKilled() throws Exception {
        Process other = new ProcessBuilder(Tools.java(Keeping.class, folder.toString()))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        soon().until(() -> lines("pid").size() == 1);

        other.destroyForcibly().waitFor();

        soon().untilAsserted(() -> assertThat(lines("end")).containsExactly("the input has ended"));
    }

    /** Keeps a process that waits for the end of its input. */
    static final class Keeping {

        private Keeping() {}

        public static void main(String[] arguments) throws Exception {
            new SandboxdKeeper(Pace.USUAL)
                    .start(shell(
                            Path.of(arguments[0]), "echo $$ > pid; cat > /dev/null; echo the input has ended > end"));
            Thread.sleep(Duration.ofHours(1));
        }
    }

    @Test
    void whereSomebodyAnswersNothingIsStarted() throws Exception {
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                LogCapture log = LogCapture.open()) {
            other.bind(UnixDomainSocketAddress.of(folder.resolve("s")));

            start("echo run >> runs; exec cat");

            soon().until(() -> log.text().contains("which somebody else has started"));
            assertThat(lines("runs")).isEmpty();
        }
    }

    @Test
    void aSocketIsAnsweredWhileAProcessListens() throws Exception {
        Path socket = folder.resolve("s");
        assertThat(SandboxdKeeper.isAnswered(socket)).isFalse();
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(socket), 1);
            for (int i = 0; i < 3; i++) {
                assertThat(SandboxdKeeper.isAnswered(socket))
                        .as("however many wait")
                        .isTrue();
            }
        }
        assertThat(socket).as("left behind").exists();
        assertThat(SandboxdKeeper.isAnswered(socket)).isFalse();
    }

    @Test
    void afterItsEndNothingIsStarted() throws Exception {
        keeper.close();

        Thread thread = keeper.start(shell(folder, "echo run >> runs"));

        thread.join(Duration.ofSeconds(Patience.SECONDS));
        assertThat(lines("runs")).isEmpty();
    }
}
