package dev.sallyport.server.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.sallyport.server.cli.Sallyport;
import dev.sallyport.testsupport.TestParent;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The packaged server and its collector: docs/opentelemetry.md. */
class OtlpIT {

    private static final String TUNNEL = "listening on \\S*:(\\d+) \\(tunnel_listen\\)";
    private static final String METRICS = "listening on \\S*:(\\d+) \\(metrics.listen\\)";
    private static final String READY = "ready after (\\d+) ms";
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PARENT = "b7ad6b7169203331";

    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

    @TempDir
    private Path folder;

    private final Queue<String> traceparents = new ConcurrentLinkedQueue<>();
    private HttpServer origin;

    @BeforeEach
    void start() throws Exception {
        origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        origin.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        origin.createContext("/", exchange -> {
            try (exchange) {
                traceparents.add(String.valueOf(exchange.getRequestHeaders().getFirst("traceparent")));
                exchange.sendResponseHeaders(204, -1);
            }
        });
        origin.start();
        configure("");
    }

    @AfterEach
    void stop() {
        origin.stop(0);
    }

    /** Whether gRPC; in the plain build each protocol is tried by what follows the records, and one of them by the rest. */
    static List<Boolean> protocols() {
        return Boolean.getBoolean("sallyport.full") ? List.of(false, true) : List.of(true);
    }

    private void configure(String proxyLines) throws IOException, InterruptedException {
        assertThat(Sallyport.run(folder, "generate-ca", "--force").code()).isZero();
        Files.writeString(folder.resolve("proxy.yaml"), """
                dns: {enabled: false}
                proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: []%s}
                tls: {ca_cert: ca.crt, ca_key: ca.key}
                metrics: {listen: "127.0.0.1:0"}
                transforms: [{name: allowlist, config: {domains: [localhost]}}]
                """.formatted(proxyLines));
    }

    private Sallyport server(Map<String, String> environment) throws IOException {
        return Sallyport.start(Sallyport.distribution(), folder, environment, "-config", "proxy.yaml");
    }

    private static Map<String, String> variables(Receiver receiver, String... more) {
        Map<String, String> variables = new HashMap<>(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint(),
                "OTEL_EXPORTER_OTLP_PROTOCOL", receiver.protocol(),
                "OTEL_BLRP_SCHEDULE_DELAY", "50"));
        for (int i = 0; i < more.length; i += 2) {
            variables.put(more[i], more[i + 1]);
        }
        return variables;
    }

    private String allowed(String path) {
        return "http://localhost:" + origin.getAddress().getPort() + path;
    }

    private static String ask(int port, String target, String... lines) throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String host = target.startsWith("http://") ? target.substring(7).replaceAll("/.*", "") : "localhost";
            client.getOutputStream()
                    .write(("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n"
                                    + List.of(lines).stream()
                                            .map(line -> line + "\r\n")
                                            .collect(Collectors.joining())
                                    + "\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The records of the audit log, as JSON. */
    private static List<Map<String, Object>> records(Sallyport server) throws IOException {
        List<Map<String, Object>> records = new ArrayList<>();
        for (String line : server.out().lines().toList()) {
            records.add(JSON.readValue(line, new TypeReference<>() {}));
        }
        return records;
    }

    /** An exported record as it is in the audit log. */
    private static Map<String, Object> record(LogRecord exported) {
        Map<String, Object> record = Receiver.json(exported.getAttributesList());
        record.put("level", exported.getSeverityText());
        record.put("msg", exported.getBody().getStringValue());
        record.put(
                "time",
                String.format(
                        "%tFT%<tT.%<tLZ",
                        Instant.ofEpochSecond(0, exported.getTimeUnixNano()).atOffset(ZoneOffset.UTC)));
        return record;
    }

    private static Set<Object> ids(List<Map<String, Object>> records) {
        return records.stream().map(record -> record.get("exchange_id")).collect(Collectors.toSet());
    }

    private static List<Map<String, Object>> exported(Receiver receiver) {
        return receiver.logs("dev.sallyport.audit").stream().map(OtlpIT::record).toList();
    }

    /** Also with settings that would lead other clients to a proxy. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void the_collector_gets_what_the_audit_log_has_and_spans_and_meters(boolean grpc) throws Exception {
        configure(", trace: continue");
        try (Receiver receiver = Receiver.start(grpc);
                Sallyport server = server(variables(
                        receiver,
                        "OTEL_TRACES_EXPORTER",
                        "otlp",
                        "OTEL_METRICS_EXPORTER",
                        "otlp",
                        "OTEL_EXPORTER_OTLP_COMPRESSION",
                        "gzip",
                        "SALLYPORT_JAVA_OPTS",
                        "-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=1",
                        "GRPC_PROXY_EXP",
                        "127.0.0.1:1"))) {
            server.awaitErr(READY);
            int port = Integer.parseInt(server.awaitErr(TUNNEL));

            assertThat(ask(port, allowed("/a?b=c"), "traceparent: 00-" + TRACE + "-" + PARENT + "-01"))
                    .startsWith("HTTP/1.1 204 ");
            assertThat(ask(port, "http://elsewhere.test/")).startsWith("HTTP/1.1 403 ");
            server.signal("TERM");
            Sallyport.Ended ended = server.await();

            assertThat(ended.code()).isZero();
            assertThat(exported(receiver)).containsExactlyInAnyOrderElementsOf(records(server));
            assertThat(receiver.logs("dev.sallyport.log").stream()
                            .map(line -> line.getBody().getStringValue()))
                    .anyMatch(line -> line.startsWith("ready after"))
                    .anyMatch(line -> line.startsWith("stopping"));
            assertThat(receiver.spans()).hasSize(2);
            assertThat(receiver.spans().stream()
                            .map(span -> hex(span.getTraceId().toByteArray())))
                    .contains(TRACE);
            // and the origin's parent is the span of the proxy
            String span = receiver.spans().stream()
                    .filter(each -> hex(each.getParentSpanId().toByteArray()).equals(PARENT))
                    .map(each -> hex(each.getSpanId().toByteArray()))
                    .findFirst()
                    .orElseThrow();
            assertThat(traceparents).containsExactly("00-" + TRACE + "-" + span + "-01");
            assertThat(receiver.metrics().stream().map(Metric::getName))
                    .contains("sallyport.exchanges", "sallyport.otlp.exported", "jvm.memory.used");
        }
    }

    /** {@code proxy.upstream_proxy}, here from the environment. */
    @Tag("long")
    @ParameterizedTest
    @MethodSource("protocols")
    void the_collector_is_reached_through_the_parent(boolean grpc) throws Exception {
        try (Receiver receiver = Receiver.start(grpc);
                TestParent parent = TestParent.http().demanding("ann", "s3cret");
                Sallyport server = server(variables(receiver, "HTTP_PROXY", parent.url("http"), "NO_PROXY", ""))) {
            server.awaitErr(READY);
            int port = Integer.parseInt(server.awaitErr(TUNNEL));

            assertThat(ask(port, allowed("/a"))).startsWith("HTTP/1.1 204 ");
            server.signal("TERM");
            assertThat(server.await().code()).isZero();

            assertThat(exported(receiver)).containsExactlyInAnyOrderElementsOf(records(server));
            assertThat(receiver.logs("dev.sallyport.log").stream()
                            .map(line -> line.getBody().getStringValue()))
                    .anyMatch(line -> line.startsWith("ready after"))
                    .anyMatch(line -> line.startsWith("stopping"));
            assertThat(parent.asked()).anyMatch(asked -> asked.endsWith(":" + receiver.port()));
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {false, true})
    void the_collector_gets_every_record_through_five_restarts_under_load(boolean grpc) throws Exception {
        try (Receiver receiver = Receiver.start(grpc);
                Sallyport server = server(variables(receiver))) {
            server.awaitErr(READY);
            int port = Integer.parseInt(server.awaitErr(TUNNEL));
            AtomicBoolean going = new AtomicBoolean(true);
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            List<Thread> clients = new ArrayList<>();
            for (int client = 0; client < 4; client++) {
                clients.add(Thread.ofVirtual().start(() -> {
                    while (going.get()) {
                        try {
                            assertThat(ask(port, allowed("/x"))).startsWith("HTTP/1.1 204 ");
                        } catch (IOException | AssertionError e) {
                            failures.add(e);
                        }
                    }
                }));
            }

            for (int restart = 0; restart < 5; restart++) {
                int before = receiver.logs().size();
                await().until(() -> receiver.logs().size() > before);
                receiver.stop();
                Thread.sleep(500);
                receiver.start();
            }
            going.set(false);
            for (Thread client : clients) {
                client.join();
            }
            server.signal("TERM");
            assertThat(server.await().code()).isZero();

            assertThat(failures).isEmpty();
            Set<Object> written = ids(records(server));
            assertThat(written).hasSizeGreaterThan(100);
            assertThat(ids(exported(receiver))).isEqualTo(written);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("protocols")
    void without_its_collector_the_proxy_works_on_counts_and_ends(boolean grpc) throws Exception {
        configure(", limits: {drain_timeout: 1s}");
        Receiver receiver = Receiver.start(grpc);
        receiver.close();
        try (Sallyport server = server(variables(receiver, "OTEL_BLRP_MAX_QUEUE_SIZE", "10"))) {
            server.awaitErr(READY);
            int port = Integer.parseInt(server.awaitErr(TUNNEL));
            int metrics = Integer.parseInt(server.awaitErr(METRICS));

            for (int i = 0; i < 50; i++) {
                assertThat(ask(port, allowed("/x"))).startsWith("HTTP/1.1 204 ");
            }

            server.awaitErr("otlp: logs to \\S+ \\S+ (cannot be exported), trying again: ");
            server.awaitErr("log records (were dropped), because the queue to the collector is full \\(10 items");
            assertThat(ask(metrics, "/metrics"))
                    .containsPattern("sallyport_otlp_dropped_total\\{reason=\"queue_full\",signal=\"logs\"} [1-9]")
                    .containsPattern("sallyport_otlp_failures_total\\{signal=\"logs\"} [1-9]");
            server.signal("TERM");
            Sallyport.Ended ended = server.await();
            assertThat(ended.code()).isZero();
            assertThat(ended.err()).contains("the collector has not taken them before the end");
            assertThat(records(server)).hasSize(50);
        }
    }

    @Test
    void variables_that_cannot_be_used_keep_it_from_starting_and_check_tells() throws Exception {
        Map<String, String> variables = Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317",
                "OTEL_EXPORTER_OTLP_HEADERS", "s3cret");
        String endpoint = "environment: OTEL_EXPORTER_OTLP_ENDPOINT: not an http or https URL with a host";
        String headers = "environment: OTEL_EXPORTER_OTLP_HEADERS: pair 1 has no =";
        try (Sallyport server = server(variables);
                Sallyport check = Sallyport.start(
                        Sallyport.distribution(), folder, variables, "check", "-config", "proxy.yaml")) {
            Sallyport.Ended ended = server.await();
            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.err()).contains(endpoint, headers).doesNotContain("s3cret");

            Sallyport.Ended checked = check.await();
            assertThat(checked.code()).isEqualTo(1);
            assertThat(checked.out())
                    .contains(endpoint, headers, "environment: 2 problems")
                    .doesNotContain("s3cret");
        }
    }

    /** docs/decisions/0001: not loaded unless the environment names a collector. */
    @Test
    void without_variables_no_class_of_it_is_loaded() throws Exception {
        Map<String, String> logged = Map.of("SALLYPORT_JAVA_OPTS", "-Xlog:class+load:file=classes.log");
        try (Sallyport server = server(logged)) {
            server.awaitErr(READY);
            int port = Integer.parseInt(server.awaitErr(TUNNEL));
            assertThat(ask(port, allowed("/x"))).startsWith("HTTP/1.1 204 ");
            server.signal("TERM");
            assertThat(server.await().code()).isZero();
        }

        Set<String> packages = new HashSet<>();
        for (String line : Files.readAllLines(folder.resolve("classes.log"))) {
            packages.add(line.replaceFirst("^\\S+ (\\S+).*", "$1"));
        }
        assertThat(packages).contains("dev.sallyport.server.otlp.NoExports");
        assertThat(packages.stream()
                        .filter(name -> name.matches(
                                "(io\\.opentelemetry\\.(exporter\\.otlp|exporter\\.internal\\.otlp|sdk\\.logs|sdk\\.trace)"
                                        + "|io\\.grpc|org\\.slf4j\\.bridge|dev\\.sallyport\\.server\\.otlp\\.Otlp).*")))
                .isEmpty();
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
