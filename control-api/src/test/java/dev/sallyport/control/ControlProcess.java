package dev.sallyport.control;

import dev.sallyport.testsupport.Ports;
import io.opentelemetry.api.OpenTelemetry;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A control plane in a process of its own, which can be killed, and comes back at the same port. */
final class ControlProcess implements AutoCloseable {

    private static final long START_SECONDS = 60;

    private final Path folder;
    private final String yaml;
    private final int port;
    private @Nullable Process process;

    /** @param yaml more lines below {@code control} */
    ControlProcess(Path folder, String yaml) throws Exception {
        this.folder = folder;
        this.port = Ports.unused();
        this.yaml = "control:\n  listen: \"127.0.0.1:" + port + "\"\n" + yaml;
        start();
    }

    /** The process: folder and text of the configuration. It runs until it is killed. */
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        ControlPlane plane = new ControlPlane(
                Sections.control(Files.readString(folder.resolve("control.yaml")), folder),
                new Surroundings(
                        Map.<String, String>of()::get,
                        OpenTelemetry.noop(),
                        Clock.systemUTC(),
                        null,
                        TestControl.PASSWORDS));
        plane.prepare();
        new CountDownLatch(1).await();
    }

    void start() throws Exception {
        Files.writeString(folder.resolve("control.yaml"), yaml);
        File log = folder.resolve("control.log").toFile();
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""),
                "-cp",
                System.getProperty("java.class.path"),
                ControlProcess.class.getName(),
                folder.toString());
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .start();
        Api api = new Api(address(), null, null);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!answers(api)) {
            if (System.nanoTime() > end || !process.isAlive()) {
                throw new IllegalStateException("it does not start: " + Files.readString(log.toPath()));
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static boolean answers(Api api) {
        try {
            return api.get("/readyz").status() == 200;
        } catch (UncheckedIOException e) {
            return false; // not yet
        }
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** A client with the key of a new account. */
    Api newAccount() {
        Api.Reply reply = new Api(address(), null, null)
                .post(
                        "/v1/users",
                        "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"" + TestControl.newEmail()
                                + "\", \"password\": \"correct horse\"}");
        return new Api(address(), reply.json().at("/api_key/token").asText(), null);
    }

    /** Ends it as kill -9 does. */
    void kill() throws InterruptedException {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().waitFor();
        }
    }

    /** The most memory that it has had, in MiB. */
    long peakMebibytes() throws IOException {
        long pid = process == null ? 0 : process.pid();
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
                .sum();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
