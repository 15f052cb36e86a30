package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said through the port of a guest, to a guest that says what the test wants. */
class GuestPortTest {

    @TempDir
    Path folder;

    private interface Answer {
        String to(String id, String script, String input);
    }

    private UnixPeer guest(Answer answer) throws IOException {
        return new UnixPeer(folder.resolve("port"), (in, out) -> talk(in, out, answer));
    }

    private static void talk(InputStream in, OutputStream out, Answer answer) throws IOException {
        String[] head = UnixPeer.line(in).split(" ", -1);
        String script = new String(in.readNBytes(Integer.parseInt(head[1])), StandardCharsets.UTF_8);
        String input = new String(in.readNBytes(Integer.parseInt(head[2])), StandardCharsets.UTF_8);
        out.write(answer.to(head[0], script, input).getBytes(StandardCharsets.UTF_8));
        int unused = in.read(); // until the other end has enough
    }

    private String run(List<String> arguments, int most) throws Exception {
        byte[] written = new GuestPort(folder.resolve("port"))
                .run("echo x", arguments, stream -> stream.write("fed".getBytes(StandardCharsets.UTF_8)), most);
        return new String(written, StandardCharsets.UTF_8);
    }

    @Test
    void theAnswerIsWhatFollowsTheIdWhateverWasLeftInThePort() throws Exception {
        try (UnixPeer guest = guest((id, script, input) ->
                "left over 0 5\n" + id.charAt(0) + id + " 0 " + (script + input).length() + "\n" + script + input)) {
            assertThat(run(List.of("a b", "it's"), 1000)).isEqualTo("set -- 'a b' 'it'\\''s'\necho xfed");
        }
    }

    @Test
    void aScriptThatFailsIsNoSuccess() throws Exception {
        try (UnixPeer guest = guest((id, script, input) -> id + " 3 0\n")) {
            assertThatThrownBy(() -> run(List.of(), 10))
                    .isInstanceOf(CommandException.class)
                    .hasMessageContaining("3");
        }
    }

    @Test
    void noMoreIsReadThanIsWanted() throws Exception {
        try (UnixPeer guest = guest((id, script, input) -> id + " 0 9999999999\nabcdef")) {
            assertThat(run(List.of(), 3)).isEqualTo("abc");
        }
    }

    @Test
    void nonsenseIsNoAnswer() throws Exception {
        try (UnixPeer guest = guest((id, script, input) -> id + " -1 x\n")) {
            assertThatThrownBy(() -> run(List.of(), 10)).isInstanceOf(WireException.class);
        }
    }

    @Test
    void aShellReadsArgumentsAsTheyAre() throws Exception {
        List<String> arguments = List.of("it's $(id) `id` \"x\" \\", "", "a\nb *", "-n");

        Process shell = new ProcessBuilder("sh", "-c", GuestPort.words(arguments) + "printf '<%s>' \"$@\"")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("<it's $(id) `id` \"x\" \\><><a\nb *><-n>");
    }

    @Test
    void noArgumentsAreNone() throws Exception {
        Process shell = new ProcessBuilder("sh", "-c", GuestPort.words(List.of()) + "echo $#", "x", "left").start();

        assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("0\n");
    }
}
