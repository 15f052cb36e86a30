package dev.sallyport.sandboxd.system;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A program and its arguments, run without a shell, in {@code /}, with a path and a locale of its own, nothing else of this
 * process's environment, and what variables it is given. Immutable.
 */
public final class Command {

    private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int LARGEST_OUTPUT = 16 << 20;

    private static final int LONGEST_COMPLAINT = 8192;
    private static final File NOTHING = new File("/dev/null");

    /** How often what was written is looked at: less than a program takes to begin. */
    private static final Duration LOOK = Duration.ofMillis(2);

    /** How a program ends that SIGXFSZ has ended. */
    private static final int FILE_TOO_LARGE = 128 + 25;

    private final List<String> arguments;
    private final Duration limit;
    private final Map<String, String> variables;
    private final List<String> launcher;
    private final @Nullable Input input;
    private final @Nullable Path output;
    private final @Nullable Path emptied;

    /** What a program reads on its standard input. */
    public interface Input {

        /** Writes all of it; the stream is closed afterwards. */
        void writeTo(OutputStream stream) throws IOException;
    }

    private Command(
            List<String> arguments,
            Duration limit,
            Map<String, String> variables,
            List<String> launcher,
            @Nullable Input input,
            @Nullable Path output,
            @Nullable Path emptied) {
        this.arguments = arguments;
        this.limit = limit;
        this.variables = variables;
        this.launcher = launcher;
        this.input = input;
        this.output = output;
        this.emptied = emptied;
    }

    /** A program, found in the usual folders, and its arguments. It may take 30 seconds. */
    public static Command of(String... arguments) {
        return of(List.of(arguments));
    }

    /** A program, found in the usual folders, and its arguments. It may take 30 seconds. */
    public static Command of(List<String> arguments) {
        return new Command(List.copyOf(arguments), LIMIT, Map.of(), List.of(), null, null, null);
    }

    /** The same, with another limit of time. */
    public Command within(Duration other) {
        return new Command(arguments, other, variables, launcher, input, output, emptied);
    }

    /** The same, with another variable in its environment. */
    public Command with(String variable, String value) {
        Map<String, String> all = new HashMap<>(variables);
        all.put(variable, value);
        return new Command(arguments, limit, Map.copyOf(all), launcher, input, output, emptied);
    }

    /**
     * The same, with no more memory than this, as bytes of address space, and as the first that the kernel kills when the
     * machine has none left. For programs that hold as much in memory as a guest makes them to.
     */
    public Command modestly(long memory) {
        return launchedBy(List.of("choom", "-n", "1000", "--", "prlimit", "--as=" + memory, "--"));
    }

    /** The same, with an adjustment of how soon the kernel kills it, and what it begins, when the machine has no memory left. */
    public Command adjusted(int score) {
        return launchedBy(List.of("choom", "-n", Integer.toString(score), "--"));
    }

    /** The same, where no file becomes larger than this, in bytes. */
    public Command writing(long largestFile) {
        return launchedBy(List.of("prlimit", "--core=0", "--fsize=" + largestFile, "--"));
    }

    /** The same, in the network namespace of a process. */
    public Command inNetworkOf(long pid) {
        return launchedBy(List.of("nsenter", "--net=/proc/" + pid + "/ns/net", "--"));
    }

    private Command launchedBy(List<String> other) {
        List<String> all = new ArrayList<>(other);
        all.addAll(launcher);
        return new Command(arguments, limit, variables, List.copyOf(all), input, output, emptied);
    }

    /** The same, with text on its standard input. */
    public Command reading(String text) {
        return reading(stream -> stream.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** The same, with something on its standard input. */
    public Command reading(Input other) {
        return new Command(arguments, limit, variables, launcher, other, output, emptied);
    }

    /** The same, appending what it writes to a file. For programs that leave others behind, which keep the file open. */
    public Command appendingTo(Path file) {
        return new Command(arguments, limit, variables, launcher, input, file, emptied);
    }

    /** The same, for which a file is empty that is there: it has mounts of its own. */
    public Command emptying(Path file) {
        return new Command(arguments, limit, variables, launcher, input, output, file);
    }

    /**
     * Runs it to its end. An interruption kills it.
     *
     * @return its standard output; empty where that goes to a file
     * @throws CommandException when it does not end with 0 in time; says what it wrote on standard error
     */
    public String run() throws CommandException, InterruptedException {
        return run(stream -> read(stream, LARGEST_OUTPUT));
    }

    /** What becomes of what a program writes. */
    public interface Reader<T> {

        /** Reads to the end, or else the program waits for ever. */
        T read(InputStream stream) throws IOException;
    }

    /**
     * The same, with its standard output read as it comes, on another thread.
     *
     * @throws CommandException when it does not end with 0 in time, or the reader fails
     */
    public <T> T run(Reader<T> reader) throws CommandException, InterruptedException {
        Process process = start(piped());
        try {
            CompletableFuture<T> written = background(() -> reader.read(process.getInputStream()));
            CompletableFuture<String> complaint = background(() -> read(process.getErrorStream(), LARGEST_OUTPUT));
            CompletableFuture<String> fed = background(() -> feed(process.getOutputStream()));
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw tooLong();
            }
            succeed(process, complaint.join());
            fed.join();
            return written.join();
        } catch (CompletionException e) {
            throw new CommandException(arguments.getFirst() + ": " + e.getCause(), e);
        } finally {
            process.destroyForcibly();
        }
    }

    /**
     * Runs it to its end, without waiting for what it leaves behind: others may hold what it was given to read and to write,
     * as programs of a guest do that a runtime begins. What they write afterwards is lost, and that nobody reads the input
     * holds nothing up. An interruption kills it.
     *
     * @param folder this process's own, in which {@code input}, {@code output} and {@code complaint} are files meanwhile
     * @param most how much of its standard output is returned, in bytes; the rest is dropped
     * @throws CommandException when it does not end with 0 in time
     */
    public byte[] runAlone(Path folder, int most) throws IOException, CommandException, InterruptedException {
        Path read = folder.resolve("input");
        Files.deleteIfExists(read);
        PrivateFiles.create(read);
        try (NamedPipe output = NamedPipe.make(folder.resolve("output"));
                NamedPipe complaint = NamedPipe.make(folder.resolve("complaint"))) {
            if (input != null) {
                try (OutputStream stream = Files.newOutputStream(read)) {
                    input.writeTo(stream);
                }
            }
            return run(
                    builder(read.toFile())
                            .redirectOutput(Redirect.appendTo(output.file()))
                            .redirectError(Redirect.appendTo(complaint.file())),
                    new Beginning(output.stream(), most),
                    new Beginning(complaint.stream(), LONGEST_COMPLAINT));
        } finally {
            Files.deleteIfExists(read);
        }
    }

    private byte[] run(ProcessBuilder builder, Beginning written, Beginning complaint)
            throws IOException, CommandException, InterruptedException {
        Process process = start(builder);
        try {
            long deadline = System.nanoTime() + limit.toNanos();
            boolean ended = false;
            while (!ended) {
                ended = process.waitFor(LOOK.toNanos(), TimeUnit.NANOSECONDS);
                written.take();
                complaint.take();
                if (!ended && System.nanoTime() - deadline > 0) {
                    throw tooLong();
                }
            }
            succeed(process, complaint.text());
            return written.bytes();
        } finally {
            process.destroyForcibly();
        }
    }

    private CommandException tooLong() {
        return new CommandException(arguments.getFirst() + " took more than " + limit.toSeconds() + " s");
    }

    private void succeed(Process process, String complaint) throws CommandException {
        if (process.exitValue() == FILE_TOO_LARGE) {
            throw CommandException.tooLarge(arguments.getFirst() + " wrote more into a file than it may");
        }
        if (process.exitValue() != 0) {
            throw CommandException.ended(arguments.getFirst(), process.exitValue(), complaint);
        }
    }

    /** With pipes, but for what is a file. */
    private ProcessBuilder piped() {
        ProcessBuilder builder = builder(input == null ? NOTHING : null);
        return output == null
                ? builder
                : builder.redirectErrorStream(true).redirectOutput(Redirect.appendTo(output.toFile()));
    }

    private ProcessBuilder builder(@Nullable File read) {
        List<String> all = new ArrayList<>(launcher);
        all.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(all).directory(new File("/"));
        Map<String, String> environment = builder.environment();
        environment.clear();
        environment.put("PATH", PATH);
        environment.put("LC_ALL", "C.UTF-8");
        environment.putAll(variables);
        return read == null ? builder : builder.redirectInput(read);
    }

    private Process start(ProcessBuilder builder) throws CommandException {
        try {
            return emptied == null ? builder.start() : startApart(builder, emptied);
        } catch (IOException e) {
            throw new CommandException(arguments.getFirst() + " cannot be run: " + e.getMessage(), e);
        }
    }

    private static Process startApart(ProcessBuilder builder, Path empty) throws IOException {
        return Apart.call("command", calls -> {
            Mounts.emptyApart(calls, empty);
            return builder.start();
        });
    }

    private String feed(OutputStream stream) throws IOException {
        try (stream) {
            if (input != null) {
                input.writeTo(stream);
            }
            return "";
        }
    }

    private interface Step<T> {
        T run() throws IOException;
    }

    private static <T> CompletableFuture<T> background(Step<T> step) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return step.run();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                task -> Thread.ofVirtual().name("sandboxd-command").start(task));
    }

    /** Reads to the end, and keeps the beginning. */
    private static String read(InputStream stream, int most) throws IOException {
        try (stream) {
            ByteArrayOutputStream kept = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
                kept.write(buffer, 0, Math.min(read, most - kept.size()));
            }
            return kept.toString(StandardCharsets.UTF_8);
        }
    }
}
