package dev.sallyport.server.cli;

import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** A process of the packaged server, started by its launcher as a user would, in a folder of its own. */
public final class Sallyport implements AutoCloseable {

    private static final Duration PATIENCE = Patience.seconds(60);

    /** The variable for options of the JVM. */
    public static final String OPTIONS = "SALLYPORT_JAVA_OPTS";

    /** Most run for seconds: the second compiler would cost more than it saves. */
    private static final String FIRST_COMPILER = "-XX:TieredStopAtLevel=1";

    /** What the launcher is told of Java: the one on which the tests run, and its options. */
    public static final Map<String, String> JAVA =
            Map.of("JAVA_HOME", System.getProperty("java.home"), OPTIONS, FIRST_COMPILER);

    private final Process process;
    private final Path out;
    private final Path err;

    /** What a process that has ended left. */
    public record Ended(int code, String out, String err) {}

    private Sallyport(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    public static Path distribution() {
        return Path.of(System.getProperty("sallyport.dist"));
    }

    public static Sallyport start(Path folder, String... arguments) throws IOException {
        return start(distribution(), folder, Map.of(), arguments);
    }

    /** A build in the background of a shell ignores signals, its children inherit that, and a JVM then keeps to it. */
    private static final List<String> OWN_SIGNALS =
            List.of("env", "--default-signal=HUP", "--default-signal=INT", "--default-signal=TERM");

    public static Sallyport start(Path distribution, Path folder, Map<String, String> environment, String... arguments)
            throws IOException {
        return start(OWN_SIGNALS, distribution, folder, environment, arguments);
    }

    /** Started by another program, which becomes it. */
    static Sallyport startBy(List<String> starter, Path folder, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(OWN_SIGNALS);
        all.addAll(starter);
        return start(all, distribution(), folder, Map.of(), arguments);
    }

    private static Sallyport start(
            List<String> starter, Path distribution, Path folder, Map<String, String> environment, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(starter);
        command.add(distribution.resolve("bin/sallyport").toString());
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        // As the tests run on this Java, so does the server; what else the build's environment says is not for it.
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().putAll(JAVA);
        builder.environment().putAll(environment);
        if (environment.containsKey(OPTIONS)) {
            builder.environment().put(OPTIONS, FIRST_COMPILER + " " + environment.get(OPTIONS)); // the last ones win
        }
        return new Sallyport(builder.start(), out, err);
    }

    public static Ended run(Path folder, String... arguments) throws IOException, InterruptedException {
        try (Sallyport sallyport = start(folder, arguments)) {
            return sallyport.await();
        }
    }

    public Ended await() throws IOException, InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still running after " + PATIENCE + "; it said:\n" + out() + err());
        }
        return new Ended(process.exitValue(), out(), err());
    }

    /** Waits until standard error matches, and returns group 1. */
    public String awaitErr(String pattern) {
        return await(err, pattern);
    }

    /** Waits until standard output matches, and returns group 1. */
    String awaitOut(String pattern) {
        return await(out, pattern);
    }

    private String await(Path file, String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        return Awaitility.await("output that matches " + pattern)
                .atMost(PATIENCE)
                .until(
                        () -> {
                            Matcher matcher = compiled.matcher(Files.readString(file));
                            if (matcher.find()) {
                                return matcher.group(matcher.groupCount());
                            }
                            if (!process.isAlive()) {
                                throw new AssertionError(
                                        "it ended with " + process.exitValue() + " and said:\n" + err());
                            }
                            return "";
                        },
                        found -> !found.isEmpty());
    }

    long pid() {
        return process.pid();
    }

    public boolean lives() {
        return process.isAlive();
    }

    public void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    public String out() throws IOException {
        return Files.readString(out, StandardCharsets.UTF_8);
    }

    /** Where its standard output goes, for those who follow it. */
    public Path outFile() {
        return out;
    }

    public String err() throws IOException {
        return Files.readString(err, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
