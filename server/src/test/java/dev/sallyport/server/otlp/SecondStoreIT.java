package dev.sallyport.server.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.sallyport.server.cli.Sallyport;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import io.opentelemetry.proto.logs.v1.LogRecord;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/opentelemetry.md, "The audit in another store": what the API lists, a collector gets too. */
class SecondStoreIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path GUIDE = Path.of("../docs/opentelemetry.md");
    private static final Pattern ATTRIBUTE = Pattern.compile("(?m)^\\| `([a-z_.]+)` \\| `[A-Z][A-Za-z]+`");
    private static final String QUERY = "JSON(?:ExtractString|Value)?\\(LogAttributes\\['([a-z_]+)'], '([a-z_]+)'\\)";

    @TempDir
    private Path folder;

    private HttpServer origin;
    private int api;
    private String key = "";

    @BeforeEach
    void start() throws Exception {
        origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        origin.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(204, -1);
            }
        });
        origin.start();
        api = Ports.unused();
        assertThat(Sallyport.run(folder, "generate-ca", "--force").code()).isZero();
        Files.writeString(folder.resolve("proxy.yaml"), """
                dns: {enabled: false}
                proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: []}
                tls: {ca_cert: ca.crt, ca_key: ca.key}
                metrics: {listen: disabled}
                control: {listen: "127.0.0.1:%d", state_dir: control}
                """.formatted(api));
    }

    @AfterEach
    void stop() {
        origin.stop(0);
    }

    private JsonNode call(String method, String path, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + api + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (!key.isEmpty()) {
            request.header("Authorization", "Bearer " + key);
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isLessThan(300);
            return JSON.readTree(response.body());
        }
    }

    private static String ask(int port, String host, int target) throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.getOutputStream()
                    .write(("GET http://" + host + ":" + target + "/ HTTP/1.1\r\nHost: " + host + ":" + target
                                    + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8).substring(0, 12);
        }
    }

    private List<JsonNode> events() throws Exception {
        return List.copyOf(call("GET", "/v1/audit/egress?order=asc", "")
                .path("data")
                .valueStream()
                .toList());
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatTheApiListsTheCollectorGetsWithTheAttributesOfTheGuide(boolean grpc) throws Exception {
        List<JsonNode> events;
        List<JsonNode> exported = new ArrayList<>();
        List<LogRecord> records;
        try (Receiver receiver = Receiver.start(grpc);
                Sallyport server = Sallyport.start(
                        Sallyport.distribution(),
                        folder,
                        Map.of(
                                "OTEL_EXPORTER_OTLP_ENDPOINT",
                                receiver.endpoint(),
                                "OTEL_EXPORTER_OTLP_PROTOCOL",
                                receiver.protocol()),
                        "-config",
                        "proxy.yaml")) {
            int port = Integer.parseInt(server.awaitErr("listening on \\S*:(\\d+) \\(tunnel_listen\\)"));
            server.awaitErr("ready after (\\d+) ms");
            key = call(
                            "POST",
                            "/v1/users",
                            "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"ada@example.com\", \"password\": \"correct horse\"}")
                    .at("/api_key/token")
                    .asText();
            call("POST", "/v1/egress/rules?wait=applied&timeout=20s", "{\"host\": \"localhost\"}");

            assertThat(ask(port, "localhost", origin.getAddress().getPort())).isEqualTo("HTTP/1.1 204");
            assertThat(ask(port, "elsewhere.test", 80)).isEqualTo("HTTP/1.1 403");
            assertThat(ask(port, "localhost", Ports.unused())).isEqualTo("HTTP/1.1 502");

            await().atMost(Patience.usual()).until(() -> events().size() == 3);
            events = events();
            server.signal("TERM");
            assertThat(server.await().code()).isZero();
            records = receiver.logs("dev.sallyport.audit");
        }
        for (LogRecord record : records) {
            exported.add(JSON.valueToTree(Receiver.json(record.getAttributesList())));
        }

        assertThat(exported.stream().map(each -> each.at("/audit/host").asText()))
                .containsExactlyElementsOf(
                        events.stream().map(each -> each.path("host").asText()).toList());
        assertThat(records.stream()
                        .map(record ->
                                Duration.ofNanos(record.getTimeUnixNano()).toMillis()))
                .containsExactlyElementsOf(events.stream()
                        .map(each ->
                                Instant.parse(each.path("timestamp").asText()).toEpochMilli())
                        .toList());
        assertThat(exported.stream().map(each -> each.at("/audit/action").asText()))
                .containsExactly("allow", "reject", "error");
        assertThat(events.stream().map(each -> each.path("verdict").asText()))
                .containsExactly("allowed", "denied", "allowed");
        assertThat(events.stream().map(each -> each.path("dial").asText()))
                .containsExactly("connected", "null", "failed");
        Matcher attribute = ATTRIBUTE.matcher(Files.readString(GUIDE));
        List<String> named = attribute.results().map(found -> found.group(1)).toList();
        assertThat(named).hasSizeGreaterThan(5);
        for (String name : named) {
            String pointer = "/" + name.replace('.', '/');
            assertThat(exported).as(name).anyMatch(each -> !each.at(pointer).isMissingNode());
        }
    }

    @Test
    void theQueryOfTheGuideAsksForAttributesOfItsTable() throws Exception {
        String guide = Files.readString(GUIDE);
        List<String> named =
                ATTRIBUTE.matcher(guide).results().map(found -> found.group(1)).toList();

        assertThat(Pattern.compile(QUERY).matcher(guide).results().map(found -> found.group(1) + "." + found.group(2)))
                .isNotEmpty()
                .isSubsetOf(named);
    }
}
