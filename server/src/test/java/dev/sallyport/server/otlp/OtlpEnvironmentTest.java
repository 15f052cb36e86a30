package dev.sallyport.server.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/opentelemetry.md: the variables, their defaults, and what is wrong with values that cannot be used. */
class OtlpEnvironmentTest {

    private static OtlpEnvironment.Outcome read(String... variables) {
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < variables.length; i += 2) {
            environment.put(variables[i], variables[i + 1]);
        }
        return OtlpEnvironment.read(environment);
    }

    private static List<String> problems(String variable, String value) {
        return read("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.test:4318", variable, value)
                .problems();
    }

    @Test
    void without_variables_nothing_is_exported() {
        assertThat(read().settings().exportsNothing()).isTrue();
        assertThat(read("OTEL_SERVICE_NAME", "x").settings().exportsNothing()).isTrue();
    }

    @Test
    void the_general_endpoint_is_that_of_logs_over_http_with_their_path() {
        OtlpSettings settings =
                read("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.test:4318/base/").settings();
        assertThat(settings.logs().endpoint()).hasToString("http://c.test:4318/base/v1/logs");
        assertThat(settings.logs().grpc()).isFalse();
        assertThat(settings.logs().gzip()).isFalse();
        assertThat(settings.logs().timeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(settings.metrics()).isNull();
        assertThat(settings.traces()).isNull();
    }

    @Test
    void an_endpoint_of_its_own_turns_a_signal_on_and_is_taken_as_it_stands() {
        OtlpSettings settings = read(
                        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://c.test/traces",
                        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://c.test:9/metrics")
                .settings();
        assertThat(settings.logs()).isNull();
        assertThat(settings.traces().endpoint()).hasToString("https://c.test/traces");
        assertThat(settings.metrics().endpoint()).hasToString("http://c.test:9/metrics");
    }

    @Test
    void variables_of_a_signal_go_before_the_general_ones() {
        OtlpSettings settings = read(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.test:4317",
                        "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc",
                        "OTEL_EXPORTER_OTLP_HEADERS", "a=1,b=2",
                        "OTEL_EXPORTER_OTLP_TIMEOUT", "5000",
                        "OTEL_EXPORTER_OTLP_LOGS_TIMEOUT", "100",
                        "OTEL_EXPORTER_OTLP_LOGS_HEADERS", "c=3",
                        "OTEL_EXPORTER_OTLP_LOGS_COMPRESSION", "gzip",
                        "OTEL_TRACES_EXPORTER", "otlp")
                .settings();
        assertThat(settings.logs().headers()).isEqualTo(Map.of("c", "3"));
        assertThat(settings.logs().timeout()).isEqualTo(Duration.ofMillis(100));
        assertThat(settings.logs().gzip()).isTrue();
        assertThat(settings.logs().endpoint()).hasToString("http://c.test:4317");
        assertThat(settings.traces().headers()).isEqualTo(Map.of("a", "1", "b", "2"));
        assertThat(settings.traces().timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.traces().gzip()).isFalse();
        assertThat(settings.traces().grpc()).isTrue();
    }

    @Test
    void metrics_and_traces_that_are_asked_for_by_name_have_the_usual_endpoint_but_logs_none() {
        OtlpEnvironment.Outcome read = read(
                "OTEL_METRICS_EXPORTER", "otlp",
                "OTEL_TRACES_EXPORTER", "otlp",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc",
                "OTEL_LOGS_EXPORTER", "otlp");
        assertThat(read.settings().metrics().endpoint()).hasToString("http://localhost:4318/v1/metrics");
        assertThat(read.settings().traces().endpoint()).hasToString("http://localhost:4317");
        assertThat(read.settings().logs()).isNull();
        assertThat(read.warnings())
                .containsExactly(
                        "environment: OTEL_LOGS_EXPORTER: no logs are exported, because no endpoint is set (expected: OTEL_EXPORTER_OTLP_ENDPOINT too)");
    }

    @Test
    void none_and_disabled_turn_off() {
        assertThat(read("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.test", "OTEL_LOGS_EXPORTER", "none")
                        .settings()
                        .exportsNothing())
                .isTrue();
        assertThat(read("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.test", "OTEL_SDK_DISABLED", "TRUE")
                        .settings()
                        .exportsNothing())
                .isTrue();
    }

    @Test
    void an_exporter_that_we_lack_is_a_warning() {
        OtlpEnvironment.Outcome read = read("OTEL_TRACES_EXPORTER", "zipkin", "OTEL_METRICS_EXPORTER", "prometheus");
        assertThat(read.settings().exportsNothing()).isTrue();
        assertThat(read.problems()).isEmpty();
        assertThat(read.warnings())
                .containsExactly(
                        "environment: OTEL_TRACES_EXPORTER: names an exporter that this build does not have (expected: otlp or none)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OTEL_EXPORTER_OTLP_PROTOCOL | http/json | \"http/json\" (expected: grpc, http/protobuf)",
                "OTEL_EXPORTER_OTLP_COMPRESSION | zstd | \"zstd\" (expected: gzip, none)",
                "OTEL_EXPORTER_OTLP_TIMEOUT | 10s | \"10s\" (expected: a whole number from 1 to 600000)",
                "OTEL_EXPORTER_OTLP_HEADERS | a=1,tok3n | pair 2 has no = (expected: key=value,key=value with values percent-encoded)",
                "OTEL_EXPORTER_OTLP_HEADERS | a b=1 | pair 1 has a key that is no name of a header (expected: key=value,key=value with values percent-encoded)",
                "OTEL_EXPORTER_OTLP_HEADERS | a=%0a | pair 1 has a value that no header can hold (expected: key=value,key=value with values percent-encoded)",
                "OTEL_EXPORTER_OTLP_HEADERS | a=%zz | pair 1 has a broken percent-encoding (expected: key=value,key=value with values percent-encoded)",
                "OTEL_EXPORTER_OTLP_CERTIFICATE | /nowhere/ca.pem | /nowhere/ca.pem: no such file (expected: a PEM file of certificates)",
                "OTEL_EXPORTER_OTLP_CLIENT_KEY | k.pem | certificates of clients are not supported (expected: unset)",
                "OTEL_RESOURCE_ATTRIBUTES | =x | pair 1 has no key (expected: key=value,key=value with values percent-encoded)",
                "OTEL_BLRP_MAX_QUEUE_SIZE | 0 | \"0\" (expected: a whole number from 1 to 4194304)",
                "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT | http://u:p4ss@c.test | holds a user name or password (expected: http://host:port or https://host:port; credentials belong in OTEL_EXPORTER_OTLP_HEADERS)",
                "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT | ftp://c.test | not an http or https URL with a host (expected: http://host:port or https://host:port)",
                "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT | http://c.test/?k=v | holds a query or a fragment (expected: http://host:port or https://host:port)"
            })
    void what_cannot_be_used_is_told_without_credentials(String variable, String value, String problem) {
        assertThat(problems(variable, value)).containsExactly("environment: " + variable + ": " + problem);
        assertThat(String.join("", problems(variable, value))).doesNotContain("tok3n", "p4ss");
    }

    @ParameterizedTest
    @ValueSource(strings = {"grpc-timeout=1S", "trace-bin=AA", "a!b=1"})
    void headers_that_grpc_keeps_for_itself_or_does_not_know_cannot_be_used_with_it(String header) {
        assertThat(problems("OTEL_EXPORTER_OTLP_HEADERS", header)).isEmpty();
        assertThat(read(
                                "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.test:4317",
                                "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc",
                                "OTEL_EXPORTER_OTLP_HEADERS", header)
                        .problems())
                .containsExactly(
                        "environment: OTEL_EXPORTER_OTLP_HEADERS: pair 1 has a key that gRPC does not take (expected: key=value,key=value with values percent-encoded)");
    }

    @Test
    void all_problems_come_at_once() {
        assertThat(read(
                                "OTEL_EXPORTER_OTLP_ENDPOINT", "c.test",
                                "OTEL_EXPORTER_OTLP_PROTOCOL", "udp",
                                "OTEL_TRACES_EXPORTER", "otlp",
                                "OTEL_TRACES_SAMPLER", "sometimes")
                        .problems())
                .hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void variables_of_a_signal_that_is_off_are_not_looked_at() {
        assertThat(problems("OTEL_TRACES_SAMPLER", "sometimes")).isEmpty();
        assertThat(problems("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "udp")).isEmpty();
    }

    @Test
    void samplers_and_their_argument() {
        assertThat(read(
                                "OTEL_TRACES_EXPORTER", "otlp",
                                "OTEL_TRACES_SAMPLER", "traceidratio",
                                "OTEL_TRACES_SAMPLER_ARG", "0.25")
                        .settings()
                        .sampler()
                        .getDescription())
                .contains("0.25");
        assertThat(read("OTEL_TRACES_EXPORTER", "otlp").settings().sampler().getDescription())
                .startsWith("ParentBased{root:AlwaysOnSampler");
        assertThat(read(
                                "OTEL_TRACES_EXPORTER", "otlp",
                                "OTEL_TRACES_SAMPLER", "parentbased_traceidratio",
                                "OTEL_TRACES_SAMPLER_ARG", "2")
                        .problems())
                .containsExactly("environment: OTEL_TRACES_SAMPLER_ARG: not a ratio (expected: 0 to 1, such as 0.25)");
    }

    @Test
    void a_target_does_not_show_its_headers() {
        assertThat(read("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c.test", "OTEL_EXPORTER_OTLP_HEADERS", "k=s3cret")
                        .settings()
                        .toString())
                .doesNotContain("s3cret");
    }
}
