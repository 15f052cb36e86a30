package dev.sallyport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.meter.MeterRegistry;
import dev.sallyport.server.metrics.Telemetry;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/decisions.md, section 13: metrics.listen answers /healthz, /readyz and /metrics. */
class MetricsListenerTest {

    private final Telemetry telemetry = new Telemetry();
    private volatile boolean ready = true;
    private final MetricsListener listener = new MetricsListener(telemetry);

    @BeforeEach
    void start() throws Failure {
        listener.start(new ListenAddress("127.0.0.1", 0), () -> ready);
    }

    @AfterEach
    void stop() {
        listener.close();
        telemetry.close();
    }

    @Test
    void healthz_is_ok() throws Exception {
        assertThat(ask("GET /healthz HTTP/1.1"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .endsWith("\r\n\r\nOK");
    }

    @Test
    void readyz_tells_whether_the_proxy_serves() throws Exception {
        assertThat(ask("GET /readyz HTTP/1.1"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .endsWith("\r\n\r\nOK");
        ready = false;
        assertThat(ask("GET /readyz HTTP/1.1"))
                .startsWith("HTTP/1.1 503 Service Unavailable\r\n")
                .endsWith("\r\n\r\nnot ready");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1",
                "GET /healthz/x HTTP/1.1",
                "POST /healthz HTTP/1.1",
                "GET /healthz?a HTTP/1.1",
                "POST /metrics HTTP/1.1"
            })
    void all_else_is_not_found(String request) throws Exception {
        assertThat(ask(request)).startsWith("HTTP/1.1 404 Not Found\r\n");
    }

    @Test
    void metrics_are_in_the_text_format_of_prometheus() throws Exception {
        MeterRegistry meters = new MeterRegistry(telemetry);
        meters.of("judge")
                .counter("decisions", "Decisions.", "judge")
                .of("a \"b\"")
                .add(3);
        meters.of("judge").timer("call_duration", "Calls.", "judge").of("one").record(Duration.ofMillis(30));

        assertThat(ask("GET /metrics HTTP/1.1"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("content-type: text/plain; version=0.0.4; charset=utf-8")
                .contains("# HELP sallyport_judge_decisions_total Decisions.\n")
                .contains("# TYPE sallyport_judge_decisions_total counter\n")
                .contains("sallyport_judge_decisions_total{judge=\"a \\\"b\\\"\"} 3.0\n")
                .contains("sallyport_judge_call_duration_seconds_bucket{judge=\"one\",le=\"0.025\"} 0\n")
                .contains("sallyport_judge_call_duration_seconds_bucket{judge=\"one\",le=\"0.05\"} 1\n")
                .contains("\njvm_memory_used_bytes{area=\"heap\"} ")
                .contains("\njvm_threads_current ")
                .contains("\njvm_gc_collection_seconds_total{gc=")
                .contains("\njvm_gc_collections_total{gc=")
                .contains("\nprocess_cpu_seconds_total ")
                .contains("\nprocess_start_time_seconds ")
                .contains("\nprocess_resident_memory_bytes ")
                .contains("\nprocess_open_fds ")
                .contains("\nprocess_max_fds ")
                .contains("\nsallyport_build_info{java=")
                .doesNotContain("otel_scope")
                .doesNotContain("# EOF");
    }

    @Test
    void metrics_are_in_open_metrics_where_that_is_accepted() throws Exception {
        new MeterRegistry(telemetry)
                .of("judge")
                .counter("decisions", "Decisions.")
                .of()
                .increment();

        assertThat(ask("GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5"))
                .contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8")
                .contains("# TYPE sallyport_judge_decisions counter\n")
                .contains("sallyport_judge_decisions_total 1.0")
                .endsWith("# EOF\n");
    }

    @Test
    void histograms_of_exchanges_carry_their_ids_in_open_metrics_alone() throws Exception {
        MeterRegistry meters = new MeterRegistry(telemetry);
        telemetry.exemplars(meters::exemplars);
        meters.exchangeTimer("exchange.duration", "Exchanges.", "action")
                .of("allow")
                .record(30_000_000, "x1", 1_000);

        assertThat(ask("GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text"))
                .contains("sallyport_exchange_duration_seconds_bucket{action=\"allow\",le=\"0.05\"} 1"
                        + " # {exchange_id=\"x1\"} 0.03 1.000\n");
        assertThat(ask("GET /metrics HTTP/1.1"))
                .contains("sallyport_exchange_duration_seconds_bucket{action=\"allow\",le=\"0.05\"} 1\n")
                .doesNotContain("exchange_id");
    }

    @Test
    void protobuf_is_written_only_where_native_histograms_are_wanted() throws Exception {
        String accept = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";
        assertThat(ask("GET /metrics HTTP/1.1\r\nAccept: " + accept))
                .contains("content-type: text/plain; version=0.0.4");

        try (Telemetry exact = new Telemetry()) {
            exact.nativeHistograms();
            new MeterRegistry(exact).timer("call.duration", "Calls.").of().record(Duration.ofMillis(30));
            assertThat(exact.collect(accept).contentType()).startsWith("application/vnd.google.protobuf");
            assertThat(new String(exact.collect("").content(), StandardCharsets.UTF_8))
                    .contains("sallyport_call_duration_seconds_bucket{le=\"0.05\"} 1\n");
        }
    }

    @Test
    void a_head_is_answered_as_a_get_without_its_content() throws Exception {
        assertThat(ask("HEAD /metrics HTTP/1.1"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("content-type: text/plain; version=0.0.4")
                .contains("content-length: ")
                .endsWith("\r\n\r\n")
                .doesNotContain("# HELP");
    }

    /** What "promtool check metrics" complains of: help and type for each, counters end in _total, and base units. */
    @Test
    void names_are_as_the_linter_of_prometheus_wants_them() throws Exception {
        String[] lines = ask("GET /metrics HTTP/1.1").split("\n");
        for (String line : lines) {
            if (line.startsWith("# TYPE ")) {
                String[] words = line.split(" ", -1);
                String name = words[2];
                boolean counter = words[3].equals("counter");
                assertThat(name.endsWith("_total")).as(line).isEqualTo(counter);
                assertThat(name)
                        .as(line)
                        .matches("[a-z][a-z0-9_]*")
                        .doesNotContain("milliseconds")
                        .doesNotContain("_gauge")
                        .doesNotContain("_counter");
                assertThat(lines).as(name).anyMatch(help -> help.startsWith("# HELP " + name + " "));
            }
        }
    }

    @Test
    void what_belongs_to_a_closed_proxy_is_gone() throws Exception {
        MeterRegistry meters = new MeterRegistry(telemetry);
        meters.gauge("connections", "{connection}", "Connections.", () -> 7);
        assertThat(ask("GET /metrics HTTP/1.1")).contains("\nsallyport_connections 7.0\n");

        meters.close();

        assertThat(ask("GET /metrics HTTP/1.1")).doesNotContain("sallyport_connections");
    }

    @Test
    void a_taken_port_is_a_failure_that_names_it() {
        int port = address().getPort();
        try (MetricsListener second = new MetricsListener(telemetry)) {
            Failure failure = catchThrowableOfType(
                    Failure.class, () -> second.start(new ListenAddress("127.0.0.1", port), () -> true));

            assertThat(failure.problems()).containsExactly("metrics.listen 127.0.0.1:" + port + ": the port is taken");
        }
    }

    private String ask(String line) throws Exception {
        try (Socket socket = new Socket(address().getAddress(), address().getPort())) {
            socket.getOutputStream()
                    .write((line + "\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private InetSocketAddress address() {
        return Objects.requireNonNull(listener.address());
    }
}
