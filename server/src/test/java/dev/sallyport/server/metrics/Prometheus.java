package dev.sallyport.server.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.testsupport.Patience;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** A real Prometheus on loopback that reads the metrics of one proxy every second. */
final class Prometheus implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Patience.seconds(60);
    private static final Pattern LISTENING = Pattern.compile("Listening on.* address=127\\.0\\.0\\.1:(\\d+)");

    private final HttpClient client = HttpClient.newHttpClient();
    private final Process process;
    private final Path log;
    private final int port;

    /**
     * Starts it.
     *
     * @param folder for its files
     * @param rules rule files
     * @param features for {@code --enable-feature}
     */
    Prometheus(Path folder, InetSocketAddress target, List<Path> rules, String features) throws IOException {
        Files.createDirectories(folder);
        Path config = Files.writeString(folder.resolve("prometheus.yaml"), """
                global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
                rule_files: [%s]
                scrape_configs:
                  - job_name: sallyport
                    static_configs: [{targets: ["127.0.0.1:%d"]}]
                """.formatted(
                String.join(
                        ", ",
                        rules.stream()
                                .map(rule -> rule.toAbsolutePath().normalize().toString())
                                .toList()),
                target.getPort()));
        log = folder.resolve("prometheus.log");
        List<String> command = new ArrayList<>(List.of(
                "prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--web.listen-address=127.0.0.1:0",
                "--enable-feature=" + features));
        process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        port = Awaitility.await("the port of Prometheus").atMost(PATIENCE).until(this::listening, found -> found > 0);
    }

    private int listening() throws IOException {
        String said = Files.readString(log);
        if (!process.isAlive()) {
            throw new AssertionError("Prometheus has ended and said:\n" + said);
        }
        Matcher found = LISTENING.matcher(said);
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }

    /** Whether a program is on the path. */
    static boolean isInstalled(String program) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            if (Files.isExecutable(Path.of(folder).resolve(program))) {
                return true;
            }
        }
        return false;
    }

    /** Runs promtool to its end; returns its exit code and what it printed, in one line each. */
    static String promtool(Path folder, Path input, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "promtool", ".txt");
        Process promtool = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectInput(input.toFile())
                .redirectOutput(output.toFile())
                .start();
        if (!promtool.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            promtool.destroyForcibly();
            throw new AssertionError("promtool is still running: " + Files.readString(output));
        }
        return promtool.exitValue() + "\n" + Files.readString(output);
    }

    /** The result of an instant query: a list of series. */
    JsonNode query(String expression) throws Exception {
        return get("/api/v1/query?query=" + encoded(expression)).path("data").path("result");
    }

    /** An answer of its API, which must be a success. */
    JsonNode get(String path) throws Exception {
        HttpResponse<String> response = client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        JsonNode answer = JSON.readTree(response.body());
        if (!answer.path("status").asText().equals("success")) {
            throw new AssertionError(path + ": " + response.body());
        }
        return answer;
    }

    static String encoded(String expression) {
        return URLEncoder.encode(expression, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
