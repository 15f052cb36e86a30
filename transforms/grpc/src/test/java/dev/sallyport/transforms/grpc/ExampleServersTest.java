package dev.sallyport.transforms.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testsupport.Patience;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient.Version;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The servers under {@code examples/}, as processes of their own: written against the published API and nothing else. */
class ExampleServersTest {

    private static final Path EXAMPLES = Path.of("..", "..", "examples").toAbsolutePath();
    private static final Path PROTO =
            Path.of("..", "..", "transform-api", "src", "main", "proto").toAbsolutePath();
    private static final String LISTENING = "listening on port ";

    @TempDir
    Path folder;

    private @Nullable Process server;

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.destroy();
            if (!server.waitFor(10, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
    }

    @Test
    void theServerInJavaModifiesRejectsAndAnnotates() throws Exception {
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        drive(start(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile"),
                "-cp",
                classes,
                EXAMPLES.resolve("transform-server/src/main/java/com/example/transformserver/TransformServer.java")
                        .toString(),
                "0")));
    }

    @Test
    void theServerInPythonModifiesRejectsAndAnnotates() throws Exception {
        String python = python();
        assumeTrue(python != null, "no Python with grpcio and a way to make its stubs: set TEST_PYTHON");
        drive(start(List.of(
                python, EXAMPLES.resolve("transform-server-python/server.py").toString(), "127.0.0.1:0")));
    }

    private void drive(int port) throws Exception {
        Files.createDirectory(folder.resolve("gate"));
        try (Gate gate = Gate.start(
                folder.resolve("gate"),
                Version.HTTP_2,
                request -> TestResponse.ok("from the origin").header("Server", "origin/1.0"),
                Gate.ask("house", "127.0.0.1:" + port, ", send_request_body: true, timeout: 30s"))) {
            HttpResponse<String> paid = gate.post("/pay", "{\"card_number\": \"4111111111111111\", \"amount\": 3}");

            assertThat(paid.statusCode()).isEqualTo(200);
            assertThat(paid.headers().allValues("X-Checked-By")).containsExactly("card-policy");
            assertThat(paid.headers().firstValue("Server")).isEmpty();
            ForwardedRequest sent = gate.sent();
            assertThat(sent.header("X-Checked-By")).isEqualTo("card-policy");
            assertThat(Gate.JSON.readTree(sent.content()))
                    .isEqualTo(Gate.JSON.readTree("{\"card_number\": \"************1111\", \"amount\": 3}"));

            HttpResponse<String> deleted =
                    gate.send(gate.request("/pay/1").DELETE().build());
            assertThat(deleted.statusCode()).isEqualTo(405);
            assertThat(deleted.body()).isEqualTo("{\"error\": \"nothing may be deleted\"}");
            assertThat(gate.forwarded()).hasSize(1);

            List<JsonNode> records = gate.records();
            assertThat(notes(records.get(0)).path("cards_hidden").asText()).isEqualTo("1");
            assertThat(notes(records.get(1)).path("refused").asText()).isEqualTo("DELETE");
        }
    }

    private static JsonNode notes(JsonNode record) {
        return record.path("request_transforms").path(0).path("annotations");
    }

    /** Starts a server, and waits for its port. */
    private int start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectError(folder.resolve("stderr").toFile());
        builder.environment().put("PYTHONPATH", folder.toString());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        Process started = builder.start();
        server = started;
        BufferedReader out =
                new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null || !line.startsWith(LISTENING)) {
            throw new AssertionError(line + "\n" + Files.readString(folder.resolve("stderr")));
        }
        return Integer.parseInt(line.substring(LISTENING.length()));
    }

    /** A Python that can run the server; its stubs are made then. */
    private @Nullable String python() throws Exception {
        String wanted = System.getenv("TEST_PYTHON");
        List<String> candidates = wanted == null ? List.of("python3", "/usr/bin/python3") : List.of(wanted);
        for (String candidate : candidates) {
            if (runs(List.of(candidate, "-c", "import grpc, google.protobuf")) && stubs(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    private boolean stubs(String python) throws Exception {
        List<String> arguments = List.of(
                "-I",
                PROTO.toString(),
                "--python_out=" + folder,
                "--grpc_python_out=" + folder,
                "transform/v1/transform.proto");
        return runs(command(Stream.of(python, "-m", "grpc_tools.protoc"), arguments))
                || runs(command(
                        Stream.of("protoc", "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin"), arguments));
    }

    private static List<String> command(Stream<String> program, List<String> arguments) {
        List<String> command = new ArrayList<>(program.toList());
        command.addAll(arguments);
        return command;
    }

    private boolean runs(List<String> command) throws Exception {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("output").toFile())
                    .start();
            return process.waitFor(3L * Patience.SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }
}
