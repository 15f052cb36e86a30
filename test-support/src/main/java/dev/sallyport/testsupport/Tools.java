package dev.sallyport.testsupport;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Programs of this machine that tests run. */
public final class Tools {

    private static final List<String> FOLDERS = List.of("/usr/sbin", "/sbin", "/usr/bin", "/usr/local/bin", "/bin");

    private Tools() {}

    /** Skips the test where one of these programs is not installed. */
    public static void require(String... programs) {
        for (String program : programs) {
            requireOneOf(program);
        }
    }

    /** Skips the test where none of these programs is installed. */
    public static void requireOneOf(String... programs) {
        assumeTrue(
                Stream.of(programs)
                        .anyMatch(program ->
                                FOLDERS.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, program)))),
                "needs " + String.join(" or ", programs));
    }

    /** Runs a program to its end, which must be a success; returns all that it printed. */
    public static String run(String... command) throws IOException, InterruptedException {
        return run(List.of(command));
    }

    /** As {@link #run(String...)}. */
    public static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = printed(process);
        int code = process.waitFor();
        if (code != 0) {
            throw new AssertionError(String.join(" ", command) + ": exit code " + code + ": " + printed);
        }
        return printed;
    }

    /** Runs curl as {@link #curl} does, to whatever end; returns all that it printed. */
    public static String tryCurl(List<String> arguments) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(curl(arguments)).redirectErrorStream(true).start();
        String printed = printed(process);
        process.waitFor();
        return printed;
    }

    /** A command of curl that uses no proxy of the environment and ends within 20 seconds. */
    public static List<String> curl(List<String> arguments) {
        return Stream.concat(Stream.of("curl", "-sS", "--noproxy", "", "--max-time", "20"), arguments.stream())
                .toList();
    }

    /** The command that runs a class of this class path. */
    public static List<String> java(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static String printed(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
