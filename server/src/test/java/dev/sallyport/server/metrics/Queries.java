package dev.sallyport.server.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The queries that {@code deploy/} holds, by what they are for. */
final class Queries {

    static final Path DEPLOY = Path.of("..", "deploy");
    static final Path RULES = DEPLOY.resolve("prometheus/sallyport.rules.yaml");
    static final Path RULE_TESTS = DEPLOY.resolve("prometheus/sallyport.rules.test.yaml");
    static final Path DASHBOARD = DEPLOY.resolve("grafana/sallyport.json");

    private static final Pattern VALUES = Pattern.compile("label_values\\((?:(.+), )?(\\w+)\\)");
    private static final Pattern COMPARISON = Pattern.compile("(==|!=|[<>]=?) *[0-9.]+( \\* [0-9]+)?");

    private Queries() {}

    /** What Grafana would ask for the panels and the variables of the dashboard. */
    static Map<String, String> ofDashboard() throws IOException {
        JsonNode dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
        Map<String, String> queries = new LinkedHashMap<>();
        for (JsonNode variable : dashboard.path("templating").path("list")) {
            Matcher values = VALUES.matcher(variable.path("definition").asText());
            if (values.matches()) {
                queries.put(
                        "$" + variable.path("name").asText(),
                        "count by (" + values.group(2) + ") (" + substituted(values.group(1)) + ")");
            }
        }
        for (JsonNode panel : dashboard.path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                queries.put(
                        panel.path("title").asText() + " "
                                + target.path("refId").asText(),
                        substituted(target.path("expr").asText()));
            }
        }
        return queries;
    }

    private static String substituted(String expression) {
        return expression
                .replace("$__rate_interval", "10s")
                .replace("$job", "sallyport")
                .replace("$instance", ".*");
    }

    /** The rules of all groups. */
    static List<JsonNode> rules() throws IOException {
        List<JsonNode> rules = new ArrayList<>();
        for (JsonNode group :
                new ObjectMapper(new YAMLFactory()).readTree(RULES.toFile()).path("groups")) {
            group.path("rules").forEach(rules::add);
        }
        return rules;
    }

    /** The expression of an alert without its thresholds: what they are compared with. */
    static String withoutThresholds(String expression) {
        return COMPARISON.matcher(expression).replaceAll("");
    }
}
