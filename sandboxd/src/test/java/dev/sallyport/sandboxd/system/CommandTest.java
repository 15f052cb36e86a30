package dev.sallyport.sandboxd.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs, run without a shell. */
class CommandTest {

    @TempDir
    Path folder;

    @Test
    void argumentsAreNoScript() throws Exception {
        assertThat(Command.of("printf", "%s", "$(id); `id` 'x' *").run()).isEqualTo("$(id); `id` 'x' *");
    }

    @Test
    void nothingOfTheEnvironmentGoesAlong() throws Exception {
        assertThat(Command.of("env").run().lines())
                .containsExactlyInAnyOrder(
                        "LC_ALL=C.UTF-8", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    }

    @Test
    void aVariableThatIsGivenGoesAlong() throws Exception {
        assertThat(Command.of("printenv", "ONE", "TWO")
                        .with("ONE", "1")
                        .with("TWO", "2")
                        .run())
                .isEqualTo("1\n2\n");
    }

    @Test
    void inputIsReadAndWithoutOneItIsEmpty() throws Exception {
        assertThat(Command.of("cat").reading("ä\n").run()).isEqualTo("ä\n");
        assertThat(Command.of("cat").run()).isEmpty();
    }

    @Test
    void aProgramThatReadsNothingOfItsInputIsNoFailure() throws Exception {
        assertThat(Command.of("true").reading("").run()).isEmpty();
    }

    @Test
    void aFileMayBeEmptyForAProgramAlone() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assumeTrue(new ProcessBuilder("unshare", "--mount", "true").start().waitFor() == 0, "needs mount namespaces");
        Path file = Files.writeString(folder.resolve("file"), "text");
        String[] reading = {"sh", "-c", "wc -c < $1; cat", "sh", file.toString()};

        assertThat(Command.of(reading).emptying(file).reading("input").run()).isEqualTo("0\ninput");

        assertThat(Command.of(reading).run()).isEqualTo("4\n");
        assertThat(Mounts.under(folder)).isEmpty();
        assertThatThrownBy(() ->
                        Command.of(reading).emptying(folder.resolve("none")).run())
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("sh cannot be run: mounting at " + folder.resolve("none") + ": ");
    }

    /** As a guest does whose shell the runtime runs. */
    @Test
    void whoeverIsLeftBehindWithTheOutputHoldsNobodyUp() throws Exception {
        Command.Input input = stream -> stream.write(new byte[200_000]);
        String script = "sleep 3600 <&0 & echo $!; echo complaint >&2";

        byte[] said = Command.of("sh", "-c", script).reading(input).runAlone(folder, 100);

        end(new String(said, StandardCharsets.UTF_8));
        assertThatThrownBy(() -> Command.of("sh", "-c", "echo complaint >&2; exit 12")
                        .reading(input)
                        .runAlone(folder, 100))
                .isInstanceOf(CommandException.class)
                .hasMessage("sh ended with 12: complaint");
    }

    @Test
    void whoeverNeitherEndsNorReadsIsGivenUpWithTheOthersThatItHasMade() throws Exception {
        Path number = folder.resolve("number");
        String script = "sleep 3600 & echo $! > $1; exec sleep 3600";

        assertThatThrownBy(() -> Command.of("sh", "-c", script, "sh", number.toString())
                        .within(Duration.ofSeconds(2))
                        .runAlone(folder, 100))
                .isInstanceOf(CommandException.class)
                .hasMessage("sh took more than 2 s");

        end(Files.readString(number));
    }

    @Test
    void ofWhatIsWrittenTheBeginningIsKept() throws Exception {
        Command cat = Command.of("cat").reading("y".repeat(1_000_000));

        assertThat(cat.runAlone(folder, 2_000_000)).hasSize(1_000_000);
        assertThat(cat.runAlone(folder, 70_000)).hasSize(70_000);
        assertThat(cat.runAlone(folder, 0)).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }

    /** Whose output nobody reads to its end, which there is not. */
    @Test
    void whoeverIsLeftBehindAndGoesOnWritingIsCutOff() throws Exception {
        String script = "yes & echo $! >&2; exit 3";

        assertThatThrownBy(() -> Command.of("sh", "-c", script).runAlone(folder, 100))
                .isInstanceOfSatisfying(CommandException.class, failure -> {
                    String pid = failure.getMessage().replace("sh ended with 3: ", "");
                    ProcessHandle.of(Long.parseLong(pid.strip()))
                            .ifPresent(left -> left.onExit().join()); // the pipe has no reader any more
                });
    }

    private static void end(String pid) {
        assertThat(ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow().destroyForcibly())
                .isTrue();
    }

    @Test
    void aFailureSaysWhatTheProgramSaid() {
        assertThatThrownBy(() -> Command.of("ls", "/nowhere/at/all").run())
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("ls ended with 2: ")
                .hasMessageContaining("No such file");
        assertThatThrownBy(() -> Command.of("no-such-program").run())
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("no-such-program cannot be run");
    }

    @Test
    void aProgramThatTakesTooLongIsKilled() {
        assertThatThrownBy(() -> Command.of("sleep", "1000")
                        .within(Duration.ofMillis(50))
                        .run())
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("took more than");
    }

    @Test
    void outputIsAppendedToAFile() throws Exception {
        Path file = Files.writeString(folder.resolve("log"), "a");

        Command.of("printf", "b").appendingTo(file).run();

        assertThat(file).hasContent("ab");
    }

    @Test
    void aModestProgramHasAsMuchMemoryAsItMayAndIsTheFirstToBeKilled() throws Exception {
        assertThat(Command.of("sh", "-c", "ulimit -v; cat /proc/self/oom_score_adj")
                        .modestly(1L << 30)
                        .run())
                .isEqualTo((1 << 20) + "\n1000\n");
        assertThatThrownBy(() -> Command.of("dd", "if=/dev/zero", "of=/dev/null", "bs=1G", "count=1")
                        .modestly(1L << 29)
                        .run())
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("dd ended with 1: ")
                .hasMessageContaining("memory");
    }

    @Test
    void aFileThatBecomesLargerThanItMayIsTheEndOfTheProgram() throws Exception {
        Path file = folder.resolve("file");
        Command dd = Command.of("dd", "if=/dev/zero", "of=" + file, "bs=1k", "count=8");

        dd.modestly(1L << 30).writing(8 << 10).run();
        assertThat(file).hasSize(8 << 10);
        assertThatThrownBy(() -> dd.writing((8 << 10) - 1).modestly(1L << 30).run())
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.tooLarge()).isTrue())
                .hasMessageStartingWith("dd wrote more");
    }

    @Test
    void aFullDiskIsKnown() {
        assertThatThrownBy(() -> Command.of("dd", "if=/dev/zero", "of=/dev/full", "count=1")
                        .run())
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.noSpace()).isTrue());
    }

    @Test
    void aNameThatSoundsLikeAFullDiskIsNone() {
        assertThatThrownBy(() ->
                        Command.of("cat", "/none/No space left on device/file").run())
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.noSpace()).isFalse())
                .hasMessageEndingWith("No such file or directory");
    }

    @Test
    void whoeverIsKilledHasNotFailed() {
        for (String signal : new String[] {"KILL", "TERM"}) {
            assertThatThrownBy(() ->
                            Command.of("sh", "-c", "kill -" + signal + " $$").run())
                    .isInstanceOfSatisfying(
                            CommandException.class, e -> assertThat(e.killed()).isTrue());
        }
        assertThatThrownBy(() -> Command.of("false").run())
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.killed()).isFalse());
    }
}
