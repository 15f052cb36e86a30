package dev.sallyport.server.archive;

import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.server.Failure;
import dev.sallyport.server.Home;
import dev.sallyport.server.LocalNames;
import dev.sallyport.server.control.ControlApi;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs the packaged proxy under a sample load and lets its JVM leave an archive. The proxy is started by its own
 * launcher and stopped by a signal, so that the archive holds what every start and every request needs, and nothing of
 * the load.
 */
public final class Training {

    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration DUMP_LIMIT = Duration.ofMinutes(3);
    private static final Duration CA_LIFE = Duration.ofDays(2);
    private static final int POLL_MILLIS = 20;
    private static final String POLICY = """
            {"name": "sample", "priority": 10, "rules": [{"host": "*.sample.test"}, {"host": "*.other.test"}]}""";
    private static final String OWN_VARIABLES = "SALLYPORT_";

    private final Path launcher;
    private final Path folder;

    private Training(Path launcher, Path folder) {
        this.launcher = launcher;
        this.folder = folder;
    }

    /**
     * The outcome.
     *
     * @param requests the number of requests that the sample clients made
     * @param archive the file, which the next start uses
     */
    public record Outcome(long requests, Path archive) {}

    /**
     * Trains for this long. Blocks.
     *
     * @throws Failure when there is no distribution, the proxy does not start, a request fails, or no archive is left
     */
    public static Outcome run(Duration load) throws Failure, InterruptedException {
        Path home = Home.folder();
        if (home == null) {
            throw new Failure("archive: not run from a distribution (expected: bin/sallyport of an unpacked one)");
        }
        Path lib = home.resolve("lib");
        if (!Files.isWritable(lib)) {
            throw new Failure(lib + ": cannot be written (expected: a folder that this user may write to)");
        }
        try {
            Path folder = Files.createTempDirectory("sallyport-archive");
            try {
                long requests = new Training(home.resolve("bin").resolve("sallyport"), folder).train(load);
                return new Outcome(requests, archiveIn(lib));
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            throw new Failure("archive: " + e.getMessage());
        }
    }

    private static Path archiveIn(Path lib) throws Failure {
        return Stream.of("sallyport.aot", "sallyport.jsa")
                .map(lib::resolve)
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new Failure(lib + ": this JDK wrote no archive (expected: a file sallyport.aot)"));
    }

    private long train(Duration load) throws IOException, Failure, InterruptedException {
        CertificateAuthority authority = CertificateAuthority.generate("Sallyport training CA", CA_LIFE);
        authority.write(folder.resolve("ca.crt"), folder.resolve("ca.key"));
        try (LocalNames names = LocalNames.start(0, SampleOrigin.ZONE, SampleOrigin.ADDRESSES);
                SampleOrigin origin = SampleOrigin.start(authority)) {
            Files.writeString(
                    folder.resolve("proxy.yaml"), template().replace("@names_port@", Integer.toString(names.port())));
            Process proxy = launch();
            try {
                StartLog started = awaitStart(proxy);
                allow(new ControlApi(started.controlPlane()));
                InetSocketAddress address =
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), started.port("tunnel_listen"));
                int dnsPort = started.port("dns.listen");
                long requests = new SampleLoad(address, dnsPort, origin, folder.resolve("ca.crt")).run(load);
                end(proxy);
                return requests;
            } finally {
                proxy.descendants().forEach(ProcessHandle::destroyForcibly);
                proxy.destroyForcibly();
            }
        }
    }

    /** Makes the policies that let the load through, and looks at them. */
    private static void allow(ControlApi control) throws IOException, InterruptedException {
        control.signUp("sample@sample.test");
        control.call("POST", "/v1/policies/network?wait=applied", POLICY);
        for (String path : List.of("/v1/me", "/v1/policies/network", "/v1/policies/secrets", "/v1/openapi.json")) {
            control.call("GET", path, null);
        }
    }

    private Process launch() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        launcher.toString(),
                        "-config",
                        folder.resolve("proxy.yaml").toString()))
                .directory(folder.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(logFile().toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith(OWN_VARIABLES));
        environment.put("SALLYPORT_ARCHIVE", "make");
        environment.put("TRAINING_KEY", SampleLoad.KEY);
        return builder.start();
    }

    private StartLog awaitStart(Process proxy) throws IOException, Failure, InterruptedException {
        long limit = System.nanoTime() + START_LIMIT.toNanos();
        while (true) {
            boolean alive =
                    proxy.isAlive(); // Checked before the log is read: a process that ended has logged the reason by
            // then.
            StartLog log = log();
            if (log.ready()) {
                return log;
            }
            if (!alive || System.nanoTime() > limit) {
                throw new Failure("archive: the proxy did not start: " + log.complaint());
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    private void end(Process proxy) throws IOException, Failure, InterruptedException {
        proxy.destroy();
        if (!proxy.waitFor(DUMP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new Failure("archive: the proxy did not end within " + DUMP_LIMIT.toSeconds() + " s");
        }
        if (proxy.exitValue() != 0) {
            throw new Failure("archive: the proxy ended with " + proxy.exitValue() + ": " + log().complaint());
        }
    }

    private StartLog log() throws IOException {
        return StartLog.of(Files.readString(logFile(), StandardCharsets.ISO_8859_1));
    }

    private Path logFile() {
        return folder.resolve("log");
    }

    private static String template() throws IOException {
        try (InputStream in = Training.class.getResourceAsStream("training.yaml")) {
            if (in == null) {
                throw new IOException("training.yaml is missing in this build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
