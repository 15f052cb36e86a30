package dev.sallyport.server.otlp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.NoProxy;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.ProxyUrl;
import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.parent.ParentLogin;
import dev.sallyport.core.parent.Parents;
import dev.sallyport.server.Failure;
import dev.sallyport.server.metrics.Telemetry;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestDnsServer;
import dev.sallyport.testsupport.TestParent;
import io.grpc.Status;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsPartialSuccess;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.SeverityNumber;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** docs/spec/decisions.md, section 14: export over OTLP, with both protocols. */
class ExportsTest {

    private static final String TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @TempDir
    Path folder;

    private Exports exports = Exports.none();
    private String dns = "";
    private String upstream = "";
    private Telemetry telemetry = new Telemetry();

    @AfterEach
    void stop() {
        close(Duration.ofSeconds(1));
    }

    private void close(Duration limit) {
        exports.ending(limit);
        exports.drain();
        telemetry.close();
        exports.close();
    }

    private void begin(Map<String, String> environment) throws Failure {
        telemetry.close();
        exports = Exports.of(environment);
        telemetry = new Telemetry(exports);
        exports.countWith(telemetry.getMeterProvider().get("test"));
        exports.begin(config(dns, upstream));
    }

    private static ProxyConfig config(String dns, String upstream) {
        String yaml = """
                dns: {enabled: false%s}
                proxy: {http_listen: "127.0.0.1:0", https_listen: disabled%s}
                tls: {mode: sni-only}
                """.formatted(dns, upstream);
        ConfigResult result =
                ConfigLoader.load("test.yaml", yaml, Path.of(""), Map.of(), PluginCatalog.of(List.of(), List.of()));
        return ((ConfigResult.Loaded) result).config();
    }

    private static Map<String, String> variables(Receiver receiver, String... more) {
        Map<String, String> variables = new HashMap<>(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                receiver.endpoint(),
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                receiver.protocol(),
                "OTEL_BLRP_SCHEDULE_DELAY",
                "20",
                "OTEL_BSP_SCHEDULE_DELAY",
                "20"));
        for (int i = 0; i < more.length; i += 2) {
            variables.put(more[i], more[i + 1]);
        }
        return variables;
    }

    /** As the writer passes a record on: its buffer is not ours to keep. */
    private void written(String id) {
        written(new MutableAuditRecord(id, 1_700_000_000_123L).action(AuditRecord.Action.ALLOW));
    }

    private void written(AuditRecord record) {
        byte[] line =
                ("{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"WARN\",\"msg\":\"request\",\"schema_version\":1,"
                                + "\"exchange_id\":\"" + record.exchangeId()
                                + "\",\"audit\":{\"host\":\"a.test\",\"port\":443,"
                                + "\"duration_ms\":1.500},\"request_transforms\":[{\"name\":\"allowlist\",\"action\":\"allow\","
                                + "\"duration_ms\":0.010,\"annotations\":{\"seen\":[true,\"x\"]}}],\"response_transforms\":[]}")
                        .getBytes(StandardCharsets.UTF_8);
        ByteBuffer buffer = ByteBuffer.wrap(line).asReadOnlyBuffer();
        exports.written(record, buffer);
        Arrays.fill(line, (byte) 'x');
    }

    private static Set<String> ids(Receiver receiver) {
        return receiver.logs("dev.sallyport.audit").stream()
                .map(record ->
                        (String) Receiver.json(record.getAttributesList()).get("exchange_id"))
                .collect(Collectors.toSet());
    }

    private static Set<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).collect(Collectors.toSet());
    }

    private double metric(String name, String labels) {
        String line = name + "{" + labels + "} ";
        return new String(telemetry.collect("").content(), StandardCharsets.UTF_8)
                .lines()
                .filter(each -> each.startsWith(line))
                .mapToDouble(each -> Double.parseDouble(each.substring(line.length())))
                .findFirst()
                .orElse(-1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_audit_record_keeps_its_names_structure_and_severity(boolean grpc) throws Exception {
        try (Receiver receiver = Receiver.start(grpc)) {
            begin(variables(receiver));

            written("0af3");

            await().until(() -> receiver.logs("dev.sallyport.audit").size() == 1);
            LogRecord record = receiver.logs("dev.sallyport.audit").getFirst();
            assertThat(record.getTimeUnixNano()).isEqualTo(1_700_000_000_123_000_000L);
            assertThat(record.getSeverityNumber()).isEqualTo(SeverityNumber.SEVERITY_NUMBER_WARN);
            assertThat(record.getSeverityText()).isEqualTo("WARN");
            assertThat(record.getBody().getStringValue()).isEqualTo("request");
            assertThat(Receiver.json(record.getAttributesList()))
                    .isEqualTo(Map.of(
                            "schema_version", 1L,
                            "exchange_id", "0af3",
                            "audit", Map.of("host", "a.test", "port", 443L, "duration_ms", 1.5),
                            "request_transforms",
                                    List.of(Map.of(
                                            "name",
                                            "allowlist",
                                            "action",
                                            "allow",
                                            "duration_ms",
                                            0.01,
                                            "annotations",
                                            Map.of("seen", List.of(true, "x")))),
                            "response_transforms", List.of()));
            await().untilAsserted(() -> assertThat(metric("sallyport_otlp_exported_total", "signal=\"logs\""))
                    .isGreaterThanOrEqualTo(1));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void headers_compression_and_resource_are_as_the_variables_say(boolean grpc) throws Exception {
        try (Receiver receiver = Receiver.start(grpc)) {
            begin(variables(
                    receiver,
                    "OTEL_EXPORTER_OTLP_HEADERS",
                    "x-tenant=a%20b, authorization=Bearer%20t=1",
                    "OTEL_EXPORTER_OTLP_COMPRESSION",
                    "gzip",
                    "OTEL_SERVICE_NAME",
                    "gate",
                    "OTEL_RESOURCE_ATTRIBUTES",
                    "deployment.environment=prod,service.name=other"));

            written("1");

            await().until(() -> ids(receiver).contains("1"));
            assertThat(receiver.headers())
                    .containsEntry("x-tenant", "a b")
                    .containsEntry("authorization", "Bearer t=1")
                    .containsEntry(grpc ? "grpc-encoding" : "content-encoding", "gzip");
            assertThat(Receiver.json(receiver.resources().getFirst().getAttributesList()))
                    .containsEntry("service.name", "gate")
                    .containsEntry("deployment.environment", "prod")
                    .containsKeys("service.version", "service.instance.id");
        }
    }

    private static Parents through(TestParent parent, String noProxy) {
        Parent http = Parent.of(ProxyUrl.Scheme.HTTP, "localhost", parent.port(), false, ParentLogin.NONE);
        return new Parents(http, null, NoProxy.of(noProxy));
    }

    /** {@code proxy.upstream_proxy}: nothing is dialled directly, not even before the parent is known. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_collector_is_reached_through_the_parent_unless_it_is_exempt(boolean grpc) throws Exception {
        try (Receiver receiver = Receiver.start(grpc);
                TestParent parent = TestParent.http()) {
            upstream = ", upstream_proxy: {http_proxy: \"" + parent.url("http") + "\"}";
            begin(variables(receiver));
            written("1");
            assertThat(ids(receiver)).isEmpty();

            exports.through(through(parent, ""));
            await().until(() -> ids(receiver).contains("1"));
            assertThat(parent.asked()).hasSize(1).allMatch(asked -> asked.endsWith(":" + receiver.port()));

            // when: a reload
            exports.through(through(parent, "localhost,127.0.0.1"));
            parent.die();
            written("2");
            await().until(() -> ids(receiver).contains("2"));
            assertThat(parent.asked()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_parent_that_comes_with_a_reload_is_gone_through(boolean grpc) throws Exception {
        try (Receiver receiver = Receiver.start(grpc);
                TestParent parent = TestParent.http()) {
            begin(variables(receiver));
            exports.through(Parents.NONE);
            written("1");
            await().until(() -> ids(receiver).contains("1"));

            exports.through(through(parent, ""));
            written("2");
            await().until(() -> ids(receiver).contains("2"));

            assertThat(parent.made()).isEqualTo(1);
        }
    }

    @Test
    void the_service_is_named_after_the_program() throws Exception {
        try (Receiver receiver = Receiver.start(false)) {
            begin(variables(receiver));
            written("1");
            await().until(() -> ids(receiver).contains("1"));
            assertThat(Receiver.json(receiver.resources().getFirst().getAttributesList()))
                    .containsEntry("service.name", "sallyport");
        }
    }

    @Test
    void lines_of_the_log_are_exported_but_for_those_about_the_export() throws Exception {
        try (Receiver receiver = Receiver.start(false)) {
            begin(variables(receiver));

            LoggerFactory.getLogger("dev.sallyport.test").warn("all {}", "well", new IOException("broken"));
            LoggerFactory.getLogger("dev.sallyport.server.otlp.Anything").warn("about the export");
            LoggerFactory.getLogger("dev.sallyport.test").error("the end");

            await().until(() -> receiver.logs("dev.sallyport.log").size() >= 2);
            List<LogRecord> lines = receiver.logs("dev.sallyport.log");
            assertThat(lines.stream().map(line -> line.getBody().getStringValue()))
                    .containsExactly("all well", "the end");
            assertThat(lines.stream().map(LogRecord::getSeverityNumber))
                    .containsExactly(SeverityNumber.SEVERITY_NUMBER_WARN, SeverityNumber.SEVERITY_NUMBER_ERROR);
            assertThat(Receiver.json(lines.getFirst().getAttributesList()))
                    .containsEntry("logger", "dev.sallyport.test")
                    .containsEntry("exception.type", "java.io.IOException")
                    .containsEntry("exception.message", "broken")
                    .hasEntrySatisfying(
                            "exception.stacktrace",
                            trace -> assertThat((String) trace).contains("ExportsTest"));
        }
    }

    /** What is acknowledged arrives at least once; what is under way when the receiver dies is sent again. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {false, true})
    void every_record_arrives_through_five_restarts_of_the_collector(boolean grpc) throws Exception {
        try (Receiver receiver = Receiver.start(grpc)) {
            begin(variables(receiver));
            AtomicBoolean going = new AtomicBoolean(true);
            int[] sent = {0};
            Thread load = Thread.ofPlatform().start(() -> {
                while (going.get()) {
                    for (int i = 0; i < 20; i++) {
                        written(Integer.toString(sent[0]++));
                    }
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                }
            });

            for (int restart = 0; restart < 5; restart++) {
                int before = receiver.logs().size();
                await().until(() -> receiver.logs().size() > before);
                receiver.stop();
                Thread.sleep(300);
                receiver.start();
            }
            going.set(false);
            load.join();

            await().atMost(Patience.seconds(60)).until(() -> ids(receiver).size() >= sent[0]);
            assertThat(ids(receiver)).isEqualTo(numbered(sent[0]));
            assertThat(metric("sallyport_otlp_failures_total", "signal=\"logs\""))
                    .isPositive();
            assertThat(metric("sallyport_otlp_dropped_total", "reason=\"queue_full\",signal=\"logs\""))
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_collector_that_is_gone_costs_no_more_than_the_queue_and_drops_are_counted(boolean grpc) throws Exception {
        int port = Ports.unused();
        begin(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:" + port,
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                grpc ? "grpc" : "http/protobuf",
                "OTEL_EXPORTER_OTLP_TIMEOUT",
                "500",
                "OTEL_BLRP_MAX_QUEUE_SIZE",
                "100"));

        for (int i = 0; i < 1000; i++) {
            written(Integer.toString(i));
        }

        assertThat(metric("sallyport_otlp_dropped_total", "reason=\"queue_full\",signal=\"logs\""))
                .isBetween(900.0, 910.0);
        assertThat(metric("sallyport_otlp_queued", "signal=\"logs\"")).isBetween(90.0, 100.0);
        await().until(() -> metric("sallyport_otlp_failures_total", "signal=\"logs\"") > 0);
        exports.drain();
        assertThat(metric("sallyport_otlp_dropped_total", "reason=\"shutdown\",signal=\"logs\""))
                .isBetween(90.0, 100.0);
        assertThat(metric("sallyport_otlp_exported_total", "signal=\"logs\"")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void the_end_sends_what_is_left(boolean grpc) throws Exception {
        try (Receiver receiver = Receiver.start(grpc)) {
            begin(variables(receiver, "OTEL_BLRP_SCHEDULE_DELAY", "600000", "OTEL_METRICS_EXPORTER", "otlp"));
            for (int i = 0; i < 500; i++) {
                written(Integer.toString(i));
            }

            close(Duration.ofSeconds(10));

            assertThat(ids(receiver)).isEqualTo(numbered(500));
            // and the meters as they stand at the end
            assertThat(receiver.metrics().stream().map(Metric::getName)).contains("sallyport.otlp.exported");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_the_collector_cannot_take_now_is_sent_again_and_what_it_never_takes_is_lost(boolean grpc)
            throws Exception {
        try (Receiver receiver = Receiver.start(grpc)) {
            receiver.refuse(
                    new Receiver.Refusal(503, Status.UNAVAILABLE, Map.of()),
                    new Receiver.Refusal(429, Status.ABORTED, Map.of("Retry-After", "1")));
            begin(variables(receiver));
            written("again");
            await().until(() -> ids(receiver).equals(Set.of("again")));
            assertThat(metric("sallyport_otlp_failures_total", "signal=\"logs\""))
                    .isEqualTo(2);

            receiver.refuse(new Receiver.Refusal(400, Status.INVALID_ARGUMENT.withDescription("no"), Map.of()));
            written("never");
            await().until(() -> receiver.refusalsLeft() == 0);
            written("next");

            await().until(() -> ids(receiver).contains("next"));
            assertThat(ids(receiver)).isEqualTo(Set.of("again", "next"));
            assertThat(metric("sallyport_otlp_dropped_total", "reason=\"refused\",signal=\"logs\""))
                    .isEqualTo(1);
        }
    }

    @Test
    void what_a_collector_rejects_of_a_batch_is_counted_and_not_sent_again() throws Exception {
        try (Receiver receiver = Receiver.start(false)) {
            receiver.answer(ExportLogsServiceResponse.newBuilder()
                    .setPartialSuccess(ExportLogsPartialSuccess.newBuilder()
                            .setRejectedLogRecords(1)
                            .setErrorMessage("too old"))
                    .build());
            begin(variables(receiver));

            written("1");

            await().until(() -> metric("sallyport_otlp_dropped_total", "reason=\"refused\",signal=\"logs\"") == 1);
            assertThat(receiver.logs()).hasSize(1);
            assertThat(metric("sallyport_otlp_exported_total", "signal=\"logs\""))
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void an_exchange_is_a_span_below_that_of_the_workload(boolean grpc) throws Exception {
        try (Receiver receiver = Receiver.start(grpc)) {
            begin(variables(receiver, "OTEL_TRACES_EXPORTER", "otlp"));

            written(new MutableAuditRecord("7", 1_700_000_000_123L)
                    .host("api.example.com")
                    .port(8443)
                    .secure(true)
                    .method("POST")
                    .path("/v1/things?key=placeholder")
                    .protocol("h2")
                    .traceParent(TRACEPARENT)
                    .action(AuditRecord.Action.ALLOW)
                    .statusCode(503)
                    .durationNanos(1_500_000)
                    .workload("builder"));

            await().until(() -> receiver.spans().size() == 1 && receiver.logs().size() == 1);
            Span span = receiver.spans().getFirst();
            assertThat(hex(span.getTraceId().toByteArray())).isEqualTo("0af7651916cd43dd8448eb211c80319c");
            assertThat(hex(span.getParentSpanId().toByteArray())).isEqualTo("b7ad6b7169203331");
            assertThat(span.getName()).isEqualTo("POST");
            assertThat(span.getKind()).isEqualTo(Span.SpanKind.SPAN_KIND_CLIENT);
            assertThat(span.getStartTimeUnixNano()).isEqualTo(1_700_000_000_123_000_000L);
            assertThat(span.getEndTimeUnixNano()).isEqualTo(1_700_000_000_124_500_000L);
            assertThat(span.getStatus().getCode())
                    .isEqualTo(io.opentelemetry.proto.trace.v1.Status.StatusCode.STATUS_CODE_ERROR);
            assertThat(Receiver.json(span.getAttributesList()))
                    .containsEntry("http.request.method", "POST")
                    .containsEntry("server.address", "api.example.com")
                    .containsEntry("server.port", 8443L)
                    .containsEntry("url.full", "https://api.example.com:8443/v1/things?key=placeholder")
                    .containsEntry("http.response.status_code", 503L)
                    .containsEntry("error.type", "503")
                    .containsEntry("network.protocol.version", "2")
                    .containsEntry("sallyport.exchange_id", "7")
                    .containsEntry("sallyport.action", "allow")
                    .containsEntry("sallyport.workload", "builder");
            // and the record names it
            LogRecord record = receiver.logs().getFirst();
            assertThat(record.getTraceId()).isEqualTo(span.getTraceId());
            assertThat(record.getSpanId()).isEqualTo(span.getSpanId());
        }
    }

    @Test
    void a_span_without_parent_begins_a_trace_and_one_that_the_origin_was_told_keeps_its_name() throws Exception {
        try (Receiver receiver = Receiver.start(false)) {
            begin(variables(receiver, "OTEL_TRACES_EXPORTER", "otlp"));
            written(new MutableAuditRecord("1", 0).method("GET").action(AuditRecord.Action.ALLOW));
            written(new MutableAuditRecord("2", 0)
                    .method("PROPFIND")
                    .traceParent(TRACEPARENT)
                    .spanId("00f067aa0ba902b7")
                    .action(AuditRecord.Action.ALLOW));

            await().until(() -> receiver.spans().size() == 2);
            assertThat(receiver.spans().get(0).getParentSpanId().isEmpty()).isTrue();
            assertThat(receiver.spans().get(0).getTraceId().size()).isEqualTo(16);
            assertThat(hex(receiver.spans().get(1).getSpanId().toByteArray())).isEqualTo("00f067aa0ba902b7");
            assertThat(receiver.spans().get(1).getName()).isEqualTo("HTTP");
            assertThat(Receiver.json(receiver.spans().get(1).getAttributesList()))
                    .containsEntry("http.request.method", "_OTHER")
                    .containsEntry("http.request.method_original", "PROPFIND");
        }
    }

    @Test
    void a_trace_that_the_workload_does_not_record_is_not_exported() throws Exception {
        try (Receiver receiver = Receiver.start(false)) {
            begin(variables(receiver, "OTEL_TRACES_EXPORTER", "otlp"));
            written(new MutableAuditRecord("1", 0).traceParent(TRACEPARENT.replaceAll("01$", "00")));
            written(new MutableAuditRecord("2", 0).traceParent(TRACEPARENT));

            await().until(() -> !receiver.spans().isEmpty() && ids(receiver).size() == 2);
            exports.ending(Duration.ofSeconds(10));
            exports.drain();
            assertThat(receiver.spans().stream()
                            .map(span -> Receiver.json(span.getAttributesList()).get("sallyport.exchange_id")))
                    .containsExactly("2");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void meters_are_exported_where_they_are_asked_for(boolean grpc) throws Exception {
        try (Receiver receiver = Receiver.start(grpc)) {
            begin(variables(receiver, "OTEL_METRICS_EXPORTER", "otlp", "OTEL_METRIC_EXPORT_INTERVAL", "100"));
            telemetry
                    .getMeterProvider()
                    .get("test")
                    .counterBuilder("things")
                    .build()
                    .add(3);

            await().until(() -> receiver.metrics().stream()
                    .anyMatch(metric -> metric.getName().equals("things")
                            && metric.getSum().getDataPoints(0).getAsInt() == 3));

            // and: an export that fails is repeated
            receiver.stop();
            telemetry
                    .getMeterProvider()
                    .get("test")
                    .counterBuilder("things")
                    .build()
                    .add(4);
            await().until(() -> metric("sallyport_otlp_failures_total", "signal=\"metrics\"") > 0);
            receiver.start();
            await().until(() -> receiver.metrics().stream()
                    .anyMatch(metric -> metric.getName().equals("things")
                            && metric.getSum().getDataPoints(0).getAsInt() == 7));
        }
    }

    /** docs/spec/decisions.md, section 12: operators' endpoints use the same resolver. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_collector_is_found_with_the_resolver_of_the_proxy(boolean grpc) throws Exception {
        try (TestDnsServer names = new TestDnsServer();
                Receiver receiver = Receiver.start(grpc)) {
            names.address("collector.test", "127.0.0.1", 60);
            dns = ", upstream_resolver: \"127.0.0.1:" + names.address().getPort() + "\"";
            begin(variables(receiver, "OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector.test:" + receiver.port()));

            written("1");

            await().until(() -> ids(receiver).contains("1"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_collector_with_tls_is_trusted_by_the_certificate_that_is_named_and_by_no_other(boolean grpc)
            throws Exception {
        TestCertificates certificates = new TestCertificates(folder, "localhost");
        try (Receiver receiver = Receiver.start(grpc, certificates)) {
            begin(variables(receiver, "OTEL_EXPORTER_OTLP_TIMEOUT", "2000"));
            written("1");
            await().until(() -> metric("sallyport_otlp_failures_total", "signal=\"logs\"") > 0);
            close(Duration.ofMillis(10));
            assertThat(receiver.logs()).isEmpty();

            begin(variables(receiver, "OTEL_EXPORTER_OTLP_CERTIFICATE", certificates.originPem.toString()));
            written("2");
            await().until(() -> ids(receiver).contains("2"));
        }
    }

    @Test
    void the_general_endpoint_alone_turns_on_logs_only() throws Exception {
        try (Receiver receiver = Receiver.start(false)) {
            begin(variables(receiver));
            assertThat(exports.traces()).isFalse();
            written(new MutableAuditRecord("1", 0).traceParent(TRACEPARENT));
            await().until(() -> ids(receiver).equals(Set.of("1")));
            close(Duration.ofSeconds(10));
            assertThat(receiver.spans()).isEmpty();
            assertThat(receiver.metrics()).isEmpty();
        }
    }

    @Test
    void what_cannot_be_used_keeps_the_server_from_starting() {
        assertThatThrownBy(() -> Exports.of(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318")))
                .isInstanceOf(Failure.class)
                .hasMessage("environment: OTEL_EXPORTER_OTLP_ENDPOINT: not an http or https URL with a host"
                        + " (expected: http://host:port or https://host:port)");
    }

    @Test
    void nothing_is_exported_and_nothing_loaded_unless_the_environment_asks() throws Exception {
        Set<Exports> made = new HashSet<>(List.of(
                Exports.of(Map.of()),
                Exports.of(Map.of("OTEL_SERVICE_NAME", "gate", "OTEL_EXPORTER_OTLP_ENDPOINT", "  "))));
        assertThat(made).containsExactly(Exports.none());
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
