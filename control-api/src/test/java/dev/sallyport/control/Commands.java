package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.SubcommandContext;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.testsupport.Ports;
import io.opentelemetry.api.OpenTelemetry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/** {@code sallyport control} in a folder of its own, as the program runs it. */
final class Commands {

    private final Path folder;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    final CountDownLatch serving = new CountDownLatch(1);
    final CountDownLatch stop = new CountDownLatch(1);
    private int port;

    Commands(Path folder) {
        this.folder = folder;
    }

    /** What the program lends. */
    private final class Context implements SubcommandContext {

        private final String input;

        Context(String input) {
            this.input = input;
        }

        @Override
        public Map<String, String> environment() {
            return Map.of();
        }

        @Override
        public InputStream in() {
            return new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public PrintWriter out() {
            return new PrintWriter(out, true);
        }

        @Override
        public PrintWriter err() {
            return new PrintWriter(err, true);
        }

        @Override
        public ConfigResult load(Path file) {
            try {
                return Sections.load(Files.readString(file), folder, Map.of());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public OpenTelemetry telemetry() {
            return OpenTelemetry.noop();
        }

        @Override
        public void serve(ProxyConfig config, BooleanSupplier ready) throws InterruptedException {
            assertThat(ready.getAsBoolean()).isTrue();
            serving.countDown();
            stop.await();
        }
    }

    int run(String input, String... arguments) {
        return new ControlCommand().run(List.of(arguments), new Context(input));
    }

    String file(String lines) throws IOException {
        return fileWith(Database.yaml() + lines);
    }

    /** A configuration with nothing but these lines below {@code control}. */
    String fileWith(String lines) throws IOException {
        port = Ports.unused();
        Path file = folder.resolve("f.yaml");
        Files.writeString(file, "control:\n  listen: \"127.0.0.1:" + port + "\"\n" + lines);
        return file.toString();
    }

    String addUser(String file, String email) {
        out.getBuffer().setLength(0);
        assertThat(run(
                        "correct horse\n",
                        "add-user",
                        "-config",
                        file,
                        "--email",
                        email,
                        "--first-name",
                        "Ada",
                        "--last-name",
                        "L"))
                .as(err.toString())
                .isZero();
        return out.toString()
                .lines()
                .filter(line -> line.startsWith("key: "))
                .findFirst()
                .orElseThrow()
                .substring(5);
    }

    /** What was printed since the last {@link #clear}. */
    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }

    void clear() {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + port);
    }
}
