package dev.sallyport.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The fuzzing client of Autobahn's WebSocket test suite. It is a program in Python 2 and runs under Jython, in a JVM of
 * its own: its event loop can be started once in the life of one.
 */
final class Autobahn {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PATIENCE_MINUTES = 40;
    private static final int PATIENCE_SECONDS = Patience.SECONDS;

    /**
     * How a case went.
     *
     * @param behaviour as Autobahn says it: {@code OK}, {@code NON-STRICT}, {@code FAILED}, ...
     * @param ending the same for the end of the connection
     * @param report the file with every frame that was seen
     */
    record Outcome(String id, String behaviour, String ending, Path report) {

        boolean in(Set<String> good) {
            return good.contains(behaviour) && good.contains(ending);
        }
    }

    private final String server;

    Autobahn(String server) {
        this.server = server;
    }

    /**
     * Runs cases through proxies, one after the other; the reports stay in {@code target/autobahn}.
     *
     * @param cases their numbers, with {@code *} for any
     * @param proxies by the names that the reports give them
     */
    Map<String, List<Outcome>> run(String name, List<String> cases, Map<String, EgressProxy> proxies)
            throws IOException, InterruptedException {
        Path reports =
                Files.createDirectories(Path.of("target", "autobahn", name)).toAbsolutePath();
        Path index = reports.resolve("index.json");
        Files.deleteIfExists(index);
        Path program = reports.resolve("client.py");
        try (InputStream source = Autobahn.class.getResourceAsStream("/autobahn/client.py")) {
            Files.copy(Objects.requireNonNull(source), program, StandardCopyOption.REPLACE_EXISTING);
        }
        Path specification = reports.resolve("specification.json");
        JSON.writeValue(specification.toFile(), specification(reports, cases, proxies));

        Path log = reports.resolve("log.txt");
        int exit = execute(log, program, specification);

        assertThat(exit)
                .as(() -> "exit code of Autobahn; it says:\n" + read(log))
                .isZero();
        return outcomes(reports, JSON.readTree(index.toFile()));
    }

    private ObjectNode specification(Path reports, List<String> cases, Map<String, EgressProxy> proxies) {
        ObjectNode specification = JSON.createObjectNode();
        specification.put("outdir", reports.toString());
        specification
                .putObject("options")
                .put("failByDrop", false)
                .put("version", 18)
                .put("openHandshakeTimeout", PATIENCE_SECONDS)
                .put("closeHandshakeTimeout", PATIENCE_SECONDS)
                .put("serverConnectionDropTimeout", PATIENCE_SECONDS);
        ArrayNode servers = specification.putArray("servers");
        proxies.forEach((agent, proxy) -> servers.addObject()
                .put("agent", agent)
                .put("url", server)
                .put("via", Objects.requireNonNull(proxy.httpAddress()).getPort()));
        ArrayNode chosen = specification.putArray("cases");
        cases.forEach(chosen::add);
        specification.putArray("exclude-cases");
        specification.putObject("exclude-agent-cases");
        return specification;
    }

    private static int execute(Path log, Path program, Path specification) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC"));
        command.addAll(List.of(
                "-cp",
                jarWith("org/python/util/jython.class")
                        + System.getProperty("path.separator")
                        + jarWith("autobahntestsuite/fuzzing.py")));
        command.addAll(List.of("org.python.util.jython", program.toString(), specification.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES))
                    .as(() -> "Autobahn has ended; it says:\n" + read(log))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return process.exitValue();
    }

    private static Path jarWith(String resource) throws IOException {
        URL url = Objects.requireNonNull(Autobahn.class.getClassLoader().getResource(resource), resource);
        JarURLConnection connection = (JarURLConnection) url.openConnection();
        return Path.of(connection.getJarFileURL().getPath());
    }

    private static String read(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, List<Outcome>> outcomes(Path reports, JsonNode index) {
        Map<String, List<Outcome>> outcomes = new TreeMap<>();
        index.properties().forEach(agent -> {
            List<Outcome> results = new ArrayList<>();
            agent.getValue().properties().forEach(result -> {
                JsonNode facts = result.getValue();
                results.add(new Outcome(
                        result.getKey(),
                        facts.get("behavior").asText(),
                        facts.get("behaviorClose").asText(),
                        reports.resolve(facts.get("reportfile").asText())));
            });
            outcomes.put(agent.getKey(), results);
        });
        return outcomes;
    }
}
