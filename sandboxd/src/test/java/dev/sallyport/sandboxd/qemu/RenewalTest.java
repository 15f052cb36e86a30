package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a guest is asked for that goes on from its parent's memory; the guest is none. */
class RenewalTest {

    @TempDir
    Path folder;

    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());

    private UnixPeer answering(String code, String text) throws IOException {
        return new UnixPeer(folder.resolve("port"), (in, out) -> talk(in, out, code, text));
    }

    private void talk(InputStream in, OutputStream out, String code, String text) throws IOException {
        String[] head = UnixPeer.line(in).split(" ", -1);
        heard.add(new String(in.readNBytes(Integer.parseInt(head[1])), StandardCharsets.UTF_8));
        heard.add(new String(in.readNBytes(Integer.parseInt(head[2])), StandardCharsets.UTF_8));
        out.write((head[0] + " " + code + " " + text.length() + "\n" + text).getBytes(StandardCharsets.UTF_8));
        int unused = in.read(); // until the other end has enough
    }

    private void renew() throws Exception {
        Renewal.run(
                new GuestPort(folder.resolve("port")),
                "52:54:00:00:00:03",
                "what it is told".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void itIsToldTheTimeItsCardNumbersAndWhatOneIsToldThatBoots() throws Exception {
        try (UnixPeer peer = answering("0", "renewed\n")) {
            renew();
            renew();
        }

        assertThat(heard).hasSize(4).element(1).isEqualTo("what it is told");
        List<String> scripts = List.of(heard.get(0), heard.get(2));
        assertThat(scripts)
                .allMatch(script ->
                        script.matches("(?s)set -- '[0-9]{10}\\.[0-9]{3}' '52:54:00:00:00:03' '\\\\177\\\\105.*"));
        assertThat(scripts.stream().map(script -> script.lines().findFirst().orElseThrow()))
                .as("different numbers")
                .doesNotHaveDuplicates();
    }

    @Test
    void oneThatCannotIsNotBelieved() throws Exception {
        try (UnixPeer peer = answering("1", "renewed\n")) {
            assertThatThrownBy(this::renew).isInstanceOf(CommandException.class);
        }
        Files.delete(folder.resolve("port"));
        try (UnixPeer peer = answering("0", "renew")) {
            assertThatThrownBy(this::renew).isInstanceOf(WireException.class);
        }
    }

    @Test
    void theProgramStirsWhatItReadsIntoAPoolAndNothingElse() throws Exception {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "is a program for x86-64");
        Path program = folder.resolve("stir");
        Files.write(program, Renewal.program());
        assertThat(program.toFile().setExecutable(true)).isTrue();

        assertThat(run(program, Renewal.numbers(), "/dev/null")).as("no pool").isEqualTo(1);
        assertThat(run(program, new byte[10], "/dev/urandom")).as("too little").isEqualTo(1);
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        assertThat(run(program, Renewal.numbers(), "/dev/urandom")).isZero();
    }

    private static int run(Path program, byte[] input, String output) throws Exception {
        Process process = new ProcessBuilder(program.toString())
                .redirectOutput(Path.of(output).toFile())
                .start();
        try (OutputStream stream = process.getOutputStream()) {
            stream.write(input);
        }
        return process.waitFor();
    }
}
