package dev.sallyport.compare.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * What JMH measured of one benchmark with one set of parameters.
 *
 * @param suite the simple name of its class
 * @param name the method, with the parameters in parentheses
 * @param forks the mean of each fork: iterations of one fork are not independent of each other
 * @param unit such as {@code ns/op}
 * @param bytes allocated for each operation; NaN if that was not measured
 */
public record Figure(String suite, String name, List<Double> forks, String unit, double bytes) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    public Figure {
        forks = List.copyOf(forks);
    }

    /** Reads what {@code -rf json} wrote; what several files say of one benchmark are forks of it. */
    public static List<Figure> read(List<Path> files) throws IOException {
        Map<String, Figure> figures = new LinkedHashMap<>();
        for (Path file : files) {
            JsonNode all = JSON.readTree(file.toFile());
            if (all == null || !all.isArray()) {
                throw new IOException(file + ": no results of JMH (expected: what -rf json writes)");
            }
            for (JsonNode one : all) {
                Figure figure = of(one);
                figures.merge(figure.suite + "." + figure.name, figure, Figure::and);
            }
        }
        return List.copyOf(figures.values());
    }

    private static Figure of(JsonNode one) {
        String[] path = one.path("benchmark").asText().split("\\.", -1);
        JsonNode metric = one.path("primaryMetric");
        List<Double> forks = new ArrayList<>();
        for (JsonNode fork : metric.path("rawData")) {
            double sum = 0;
            for (JsonNode iteration : fork) {
                sum += iteration.asDouble();
            }
            forks.add(sum / Math.max(1, fork.size()));
        }
        return new Figure(
                path[Math.max(0, path.length - 2)],
                path[path.length - 1] + parameters(one.get("params")),
                forks,
                metric.path("scoreUnit").asText(),
                one.path("secondaryMetrics").path(ALLOCATED).path("score").asDouble(Double.NaN));
    }

    private static String parameters(@Nullable JsonNode params) {
        if (params == null || params.isEmpty()) {
            return "";
        }
        StringJoiner text = new StringJoiner(", ", "(", ")");
        params.properties().forEach(entry -> text.add(entry.getValue().asText()));
        return text.toString();
    }

    private Figure and(Figure more) {
        List<Double> all = new ArrayList<>(forks);
        all.addAll(more.forks);
        return new Figure(suite, name, all, unit, Double.isNaN(bytes) ? more.bytes : bytes);
    }

    /** Whether more of it is better. */
    boolean isRate() {
        return unit.startsWith("ops/");
    }

    Spread spread() {
        Spread spread = Spread.of(forks);
        if (spread == null) {
            throw new IllegalStateException(suite + "." + name + ": no forks (expected: at least one)");
        }
        return spread;
    }
}
