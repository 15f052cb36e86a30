package dev.sallyport.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A terminal in which somebody has logged in, with a pty of its own, which is script's. */
final class ScenarioTerminal implements AutoCloseable {

    private static final Pattern PTY = Pattern.compile("(?m)^(/dev/pts/\\d+)\\s");

    private final Process script;
    private volatile String shown = "";

    /** @param command what runs in it */
    ScenarioTerminal(ScenarioMachine machine, int rows, int columns, List<String> command) throws IOException {
        String start = "tty; stty rows " + rows + " cols " + columns + "; exec " + String.join(" ", command);
        script = new ProcessBuilder(machine.inside(List.of("script", "-q", "-e", "-c", start, "/dev/null")))
                .redirectErrorStream(true)
                .start();
        Thread.ofVirtual().start(this::show);
    }

    private void show() {
        try (Reader reader = script.inputReader(StandardCharsets.UTF_8)) {
            char[] piece = new char[1024];
            StringBuilder all = new StringBuilder();
            for (int read = reader.read(piece); read >= 0; read = reader.read(piece)) {
                shown = all.append(piece, 0, read).toString();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void type(String keys) throws IOException {
        script.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
        script.getOutputStream().flush();
    }

    /** Returns when this is on the screen, with what has been there. */
    String await(String text) throws InterruptedException {
        for (int i = 0; i < 100 * Patience.SECONDS && !shown.contains(text); i++) {
            Thread.sleep(10);
        }
        assertThat(shown).contains(text);
        return shown;
    }

    /** As when somebody draws at the corner of the window. */
    void resize(int rows, int columns) throws IOException, InterruptedException {
        Matcher pty = PTY.matcher(shown);
        assertThat(pty.find()).as(shown).isTrue();
        Tools.run("stty", "-F", pty.group(1), "rows", Integer.toString(rows), "cols", Integer.toString(columns));
    }

    /** What the command has ended with. */
    int code() throws InterruptedException {
        assertThat(script.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).as(shown).isTrue();
        return script.exitValue();
    }

    @Override
    public void close() throws InterruptedException {
        script.destroyForcibly().waitFor();
    }
}
