package dev.sallyport.server.run;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.server.cli.Sallyport;
import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** {@code sallyport run} of the packaged server, as root or as a user without rights. */
record Runs(Path folder, String isolation, boolean plain) {

    private static final int PATIENCE_SECONDS = 3 * Patience.SECONDS;
    private static final String PLAIN = "1234";

    /** Whether namespaces can be made here, by whether the user is one without rights: no test changes that. */
    private static final Map<Boolean, Boolean> WORKS = new ConcurrentHashMap<>();

    /** What a run left. */
    record Ended(int code, String out, String err) {}

    /**
     * With a namespace as a user without rights, where one can be made, else with variables; with {@code -Pfull} as
     * {@link #every}.
     */
    static List<Runs> all(Path folder) throws IOException, InterruptedException {
        List<Runs> every = every(folder);
        return Boolean.getBoolean("sallyport.full") ? every : List.of(every.getLast());
    }

    /**
     * For what differs between them: with variables as who runs the tests, and with a namespace as a user without rights,
     * where one can be made; with {@code -Pfull} as {@link #every}.
     */
    static List<Runs> both(Path folder) throws IOException, InterruptedException {
        List<Runs> every = every(folder);
        boolean all = Boolean.getBoolean("sallyport.full") || every.size() <= 2;
        return all ? every : List.of(every.getFirst(), every.getLast());
    }

    /** What runs here: both ways, and each as both users if this one is root. */
    static List<Runs> every(Path folder) throws IOException, InterruptedException {
        List<Runs> all = new ArrayList<>();
        for (String isolation : List.of("env", "netns")) {
            for (boolean plain : isRoot() ? new boolean[] {false, true} : new boolean[] {false}) {
                Runs runs = new Runs(folder, isolation, plain);
                if (isolation.equals("env") || runs.works()) {
                    all.add(runs);
                }
            }
        }
        return all;
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** Whether namespaces can be made here. */
    private boolean works() throws IOException, InterruptedException {
        Boolean known = WORKS.get(plain);
        if (known == null) {
            known = run(Map.of(), List.of(), "true").code() == 0;
            WORKS.put(plain, known);
        }
        return known;
    }

    /** Runs a program to its end, with a shell that does this before. */
    Ended runAfter(String commands, Map<String, String> environment, List<String> options, String... program)
            throws IOException, InterruptedException {
        List<String> shell = new ArrayList<>(List.of("sh", "-c", commands + "; exec \"$@\"", "sh"));
        shell.addAll(command(options, program));
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        return ended(start(environment, shell, out, err), out, err);
    }

    /** Runs a program to its end. */
    Ended run(Map<String, String> environment, List<String> options, String... program)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        return ended(start(environment, options, out, err, program), out, err);
    }

    private static Ended ended(Process process, Path out, Path err) throws IOException, InterruptedException {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("still running: " + Files.readString(err));
            }
            return new Ended(process.exitValue(), text(out), text(err));
        } finally {
            process.destroyForcibly();
        }
    }

    /** Those of them with a namespace. */
    static List<Runs> namespaces(Path folder) throws IOException, InterruptedException {
        List<Runs> all = every(folder).stream()
                .filter(runs -> runs.isolation().equals("netns"))
                .toList();
        assumeTrue(!all.isEmpty(), "needs network namespaces");
        return all;
    }

    /** The command line of a run; whoever starts it otherwise than this class does has to set {@link Sallyport#JAVA}. */
    List<String> command(List<String> options, String... program) throws IOException {
        List<String> command = new ArrayList<>(List.of("env", "--default-signal"));
        if (plain) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
            command.addAll(List.of("setpriv", "--reuid=" + PLAIN, "--regid=" + PLAIN, "--clear-groups"));
        }
        Path distribution = plain ? OpenDistribution.path() : Sallyport.distribution();
        command.addAll(List.of(distribution.resolve("bin/sallyport").toString(), "run", "--isolate", isolation));
        command.addAll(options);
        command.add("--");
        command.addAll(Arrays.asList(program));
        return command;
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }

    Process start(Map<String, String> environment, List<String> options, Path out, Path err, String... program)
            throws IOException {
        return start(environment, command(options, program), out, err);
    }

    private Process start(Map<String, String> environment, List<String> command, Path out, Path err)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(Sallyport.JAVA);
        builder.environment().put("HOME", folder.toString());
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().putAll(environment);
        return builder.start();
    }

    @Override
    public String toString() {
        return isolation + (plain ? ", plain user" : "");
    }
}
