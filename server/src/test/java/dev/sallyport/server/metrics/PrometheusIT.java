package dev.sallyport.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Patience;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The packaged proxy's metrics in the hands of Prometheus: the dashboard, the rules, and the guide. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrometheusIT {

    private static final Duration PATIENCE = Patience.seconds(90);
    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-z][a-z0-9_]*)(?:\\{(.*?)})? \\S+$");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z0-9_]+)`(?: †)? \\|([^|]*)\\| (\\w+) \\|");

    @TempDir
    private static Path folder;

    private MeteredProxy proxy;

    @BeforeAll
    void start() throws Exception {
        proxy = new MeteredProxy(folder);
        proxy.round();
        proxy.loseSecret();
    }

    @AfterAll
    void stop() {
        if (proxy != null) {
            proxy.close();
        }
    }

    @Test
    void every_query_of_the_dashboard_finds_series_with_values() throws Exception {
        assumeInstalled("prometheus");
        Map<String, String> queries = Queries.ofDashboard();
        assertThat(queries).hasSizeGreaterThan(80);
        try (Prometheus prometheus =
                new Prometheus(folder.resolve("classic"), proxy.metrics(), List.of(), "exemplar-storage")) {
            awaitNoneEmpty(prometheus, queries);
            assertThat(exemplarOf(prometheus, "sallyport_exchange_duration_seconds_bucket"))
                    .isNotEmpty();
            assertThat(exemplarOf(prometheus, "sallyport_upstream_response_duration_seconds_bucket"))
                    .isNotEmpty();
        }
    }

    @Test
    void every_rule_works_and_every_alert_looks_at_series_that_there_are() throws Exception {
        assumeInstalled("prometheus");
        Map<String, String> queries = new LinkedHashMap<>();
        for (JsonNode rule : Queries.rules()) {
            queries.put(
                    rule.path("alert").asText(rule.path("record").asText()),
                    Queries.withoutThresholds(rule.path("expr").asText()));
        }
        try (Prometheus prometheus =
                new Prometheus(folder.resolve("ruled"), proxy.metrics(), List.of(Queries.RULES), "exemplar-storage")) {
            awaitNoneEmpty(prometheus, queries);
            Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
                List<String> unhealthy = new ArrayList<>();
                for (JsonNode group :
                        prometheus.get("/api/v1/rules").path("data").path("groups")) {
                    group.path("rules").forEach(rule -> {
                        if (!rule.path("health").asText().equals("ok")) {
                            unhealthy.add(rule.path("name").asText() + ": "
                                    + rule.path("lastError").asText());
                        }
                    });
                }
                assertThat(unhealthy).isEmpty();
            });
            // What is wrong here on purpose is noticed: no server, no model, and a secret that is gone.
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(states(prometheus))
                            .containsKeys("SallyportGrpcFailing", "SallyportJudgeSilent", "SallyportSecretStale"));
        }
    }

    @Test
    void a_prometheus_that_takes_native_histograms_gets_them() throws Exception {
        assumeInstalled("prometheus");
        try (Prometheus prometheus = new Prometheus(
                folder.resolve("native"), proxy.metrics(), List.of(), "native-histograms,exemplar-storage")) {
            awaitNoneEmpty(
                    prometheus,
                    Map.of(
                            "quantile", "histogram_quantile(0.5, sum(rate(sallyport_exchange_duration_seconds[10s])))",
                            "fraction",
                                    "histogram_fraction(0, 60, sum(rate(sallyport_exchange_duration_seconds[10s])))",
                            "transform",
                                    "histogram_count(sallyport_transform_duration_seconds{transform=\"allowlist\"})"));
            assertThat(prometheus.query("histogram_count(sallyport_upstream_wait_duration_seconds)"))
                    .isNotEmpty();
            JsonNode targets = prometheus.get("/api/v1/targets").path("data").path("activeTargets");
            assertThat(targets.path(0).path("lastError").asText()).isEmpty();
        }
    }

    @Test
    void promtool_finds_nothing_to_complain_of_in_metrics_and_rules() throws Exception {
        assumeInstalled("promtool");
        Path metrics = Files.writeString(folder.resolve("metrics.txt"), exposition("*/*"));
        Path none = Files.createTempFile(folder, "nothing", ".txt");
        Path rules = Queries.RULES.toAbsolutePath().normalize();

        assertThat(Prometheus.promtool(folder, metrics, "check", "metrics")).isEqualTo("0\n");
        assertThat(Prometheus.promtool(folder, none, "check", "rules", rules.toString()))
                .startsWith("0\n");
        assertThat(Prometheus.promtool(
                        folder,
                        none,
                        "test",
                        "rules",
                        Queries.RULE_TESTS.toAbsolutePath().normalize().toString()))
                .startsWith("0\n");
    }

    @Test
    void each_alert_has_texts_and_a_test_that_it_fires_and_one_that_it_stays_quiet() throws Exception {
        String tests = Files.readString(Queries.RULE_TESTS);
        List<String> alerts = new ArrayList<>();
        for (JsonNode rule : Queries.rules()) {
            String alert = rule.path("alert").asText();
            if (!alert.isEmpty()) {
                alerts.add(alert);
                JsonNode annotations = rule.path("annotations");
                assertThat(List.of("summary", "description", "runbook"))
                        .as(alert)
                        .allMatch(text -> annotations.path(text).asText().length() > 20);
                assertThat(rule.path("labels").path("severity").asText())
                        .as(alert)
                        .isIn("critical", "warning");
                assertThat(tests)
                        .contains("  - name: " + alert + " fires\n")
                        .contains("  - name: " + alert + " stays quiet\n")
                        .contains("alertname=\"" + alert + "\"");
            }
        }
        assertThat(alerts).hasSizeGreaterThan(20).doesNotHaveDuplicates();
    }

    @Test
    void the_guide_has_every_metric_with_its_labels_and_no_other() throws Exception {
        proxy.round();
        Map<String, Set<String>> shown = new TreeMap<>();
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
            shown.clear();
            shown.putAll(shown(exposition("*/*")));
            assertThat(told(shown.keySet())).isEqualTo(shown);
        });
    }

    @Test
    void no_secret_is_in_any_metric() throws Exception {
        assertThat(exposition("*/*")).doesNotContain(MeteredProxy.secrets());
        assertThat(exposition("application/openmetrics-text")).doesNotContain(MeteredProxy.secrets());
    }

    private static void assumeInstalled(String program) {
        assumeTrue(Prometheus.isInstalled(program), program + " is not installed (Debian package prometheus)");
    }

    /** Sends traffic until each query gives a number. */
    private void awaitNoneEmpty(Prometheus prometheus, Map<String, String> queries) {
        Map<String, String> left = new LinkedHashMap<>(queries);
        Awaitility.await("series for every query").atMost(PATIENCE).untilAsserted(() -> {
            proxy.round();
            Set<String> found = new HashSet<>();
            for (Map.Entry<String, String> query : left.entrySet()) {
                if (hasNumber(prometheus.query(query.getValue()))) {
                    found.add(query.getKey());
                }
            }
            left.keySet().removeAll(found);
            assertThat(left).isEmpty();
        });
    }

    private static boolean hasNumber(JsonNode series) {
        for (JsonNode one : series) {
            if (one.has("histogram") || !one.path("value").path(1).asText("NaN").equals("NaN")) {
                return true;
            }
        }
        return false;
    }

    /** An exchange that Prometheus keeps as an exemplar and the audit log has; empty when there is none. */
    private String exemplarOf(Prometheus prometheus, String series) throws Exception {
        long now = System.currentTimeMillis() / 1000;
        JsonNode found = prometheus
                .get("/api/v1/query_exemplars?query=" + Prometheus.encoded(series) + "&start=" + (now - 600) + "&end="
                        + (now + 60))
                .path("data");
        String audit = proxy.audit();
        for (JsonNode one : found) {
            for (JsonNode exemplar : one.path("exemplars")) {
                String id = exemplar.path("labels").path("exchange_id").asText();
                if (!id.isEmpty() && audit.contains("\"exchange_id\":\"" + id + "\"")) {
                    return id;
                }
            }
        }
        return "";
    }

    private static Map<String, String> states(Prometheus prometheus) throws Exception {
        Map<String, String> states = new TreeMap<>();
        for (JsonNode alert : prometheus.get("/api/v1/alerts").path("data").path("alerts")) {
            states.put(
                    alert.path("labels").path("alertname").asText(),
                    alert.path("state").asText());
        }
        return states;
    }

    private String exposition(String accept) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + proxy.metrics().getPort() + "/metrics");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri).header("Accept", accept).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** The families of an exposition with their labels. */
    private static Map<String, Set<String>> shown(String exposition) {
        Map<String, String> types = new TreeMap<>();
        Pattern.compile("(?m)^# TYPE (\\S+) (\\S+)$")
                .matcher(exposition)
                .results()
                .forEach(type -> types.put(type.group(1), type.group(2)));
        Map<String, Set<String>> families = new TreeMap<>();
        Matcher sample = SAMPLE.matcher(exposition);
        while (sample.find()) {
            String name = sample.group(1).replaceAll("_(bucket|count|sum)$", "");
            String family = types.getOrDefault(name, "").equals("histogram") ? name : sample.group(1);
            Set<String> labels = families.computeIfAbsent(family + " " + types.get(family), key -> new TreeSet<>());
            Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
            while (label.find()) {
                labels.add(label.group(1));
            }
            labels.remove("le");
        }
        return families;
    }

    /** The rows of the guide, where the process differs from others those that it has. */
    private static Map<String, Set<String>> told(Set<String> shown) throws Exception {
        Map<String, Set<String>> rows = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(Path.of("../docs/metrics.md")));
        while (row.find()) {
            Set<String> labels = new TreeSet<>();
            Pattern.compile("`(\\w+)`").matcher(row.group(2)).results().forEach(label -> labels.add(label.group(1)));
            rows.put(row.group(1) + " " + row.group(3), labels);
        }
        rows.keySet().removeIf(name -> name.startsWith("sallyport_otlp_")); // nothing is exported here
        boolean linux = Files.exists(Path.of("/proc/self/status"));
        if (!linux) {
            rows.keySet().removeIf(name -> name.startsWith("process_resident") && !shown.contains(name));
        }
        return rows;
    }
}
