package dev.sallyport.compare.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.sallyport.compare.report.FigureComparison.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Results of JMH: read, rendered, compared. */
class FigureTest {

    @TempDir
    Path folder;

    private Path results(String name, String... entries) throws IOException {
        return Files.writeString(folder.resolve(name), "[" + String.join(",", entries) + "]");
    }

    private static String entry(String benchmark, String params, String raw, String unit, String bytes) {
        return """
                {"benchmark": "dev.sallyport.benchmarks.%s", "mode": "avgt", %s
                 "primaryMetric": {"score": 1, "scoreUnit": "%s", "rawData": %s},
                 "secondaryMetrics": {%s}}
                """.formatted(
                        benchmark,
                        params.isEmpty() ? "" : "\"params\": " + params + ",",
                        unit,
                        raw,
                        bytes.isEmpty() ? "" : "\"gc.alloc.rate.norm\": {\"score\": " + bytes + "}");
    }

    private static Figure figure(String name, String unit, double... forks) {
        return new Figure("S", name, Arrays.stream(forks).boxed().toList(), unit, Double.NaN);
    }

    @Test
    void forksOfSeveralFilesBelongToOneBenchmark() throws IOException {
        Path one = results(
                "1.json", entry("MatchBenchmark.name", "{\"rules\": \"10\"}", "[[1, 3], [4, 4]]", "ns/op", "24"));
        Path other = results("2.json", entry("MatchBenchmark.name", "{\"rules\": \"10\"}", "[[6, 6]]", "ns/op", ""));

        List<Figure> figures = Figure.read(List.of(one, other));

        assertThat(figures)
                .containsExactly(new Figure("MatchBenchmark", "name(10)", List.of(2.0, 4.0, 6.0), "ns/op", 24));
    }

    @Test
    void whatIsNoResultOfJmhIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("x.json"), "{}");

        assertThatThrownBy(() -> Figure.read(List.of(file)))
                .isInstanceOf(IOException.class)
                .hasMessage(file + ": no results of JMH (expected: what -rf json writes)");
    }

    @Test
    void aDifferenceCountsWhenTheForksLieApart() {
        FigureComparison comparison = new FigureComparison(
                List.of(
                        figure("slower", "ns/op", 100, 101, 102),
                        figure("faster", "ns/op", 100, 101, 102),
                        figure("noise", "ns/op", 100, 101, 120),
                        figure("little", "ns/op", 100, 101, 102),
                        figure("rate", "ops/s", 100, 101, 102),
                        figure("few", "ns/op", 100, 101),
                        figure("gone", "ns/op", 1)),
                List.of(
                        figure("slower", "ns/op", 110, 111, 112),
                        figure("faster", "ns/op", 50, 51, 52),
                        figure("noise", "ns/op", 115, 116, 117),
                        figure("little", "ns/op", 103, 103, 103),
                        figure("rate", "ops/s", 200, 201, 202),
                        figure("few", "ns/op", 200, 201, 202),
                        figure("new", "ns/op", 1)));

        assertThat(comparison.lines())
                .extracting(line -> line.after().name(), FigureComparison.Line::verdict)
                .containsExactly(
                        tuple("slower", Verdict.SLOWER),
                        tuple("faster", Verdict.FASTER),
                        tuple("noise", Verdict.SAME),
                        tuple("little", Verdict.SAME),
                        tuple("rate", Verdict.FASTER),
                        tuple("few", Verdict.UNKNOWN));
        assertThat(comparison.isSlower()).isTrue();
        assertThat(comparison.text())
                .contains("| `S.slower` | 101 (100 to 102) | 111 (110 to 112) | ns/op | 1.099 |")
                .contains("SLOWER");
    }

    @Test
    void aReportHasATableAndAPlotForEachClass() throws IOException {
        Path file = results(
                "r.json",
                entry("MatchBenchmark.name", "{\"rules\": \"10\"}", "[[70, 72], [73]]", "ns/op", "0.001"),
                entry("LeafBenchmark.minted", "", "[[160000]]", "ns/op", "61842"));

        Path page = new FigureReport(Figure.read(List.of(file)), "Measured here.")
                .write(folder.resolve("benchmarks.md"), "performance");

        assertThat(page)
                .content()
                .contains("Measured here.")
                .contains("## MatchBenchmark\n\n![](performance/jmh-MatchBenchmark.svg)")
                .contains("| `name(10)` | 72 | 71 to 73 | ns/op | 0 |")
                .contains("| `minted` | 160,000 | one fork | ns/op | 61,842 |");
        assertThat(folder.resolve("performance/jmh-LeafBenchmark.svg"))
                .content()
                .startsWith("<svg")
                .contains("minted");
    }
}
