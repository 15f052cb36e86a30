package dev.sallyport.compare.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.compare.scenario.Catalogue;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class ReportTest {

    @TempDir
    Path folder;

    private Results results;
    private Path bars;

    @BeforeEach
    void measure() throws IOException {
        results = new Results(folder.resolve("run"));
        bars = folder.resolve("bars.txt");
        Files.writeString(bars, "");
        results.fact("processor", "a | b");
        add("squid", 1, 100, 0.99, 0.5);
        add("squid", 2, 300, 0.99, 0.5);
        add("sallyport", 1, 400, 0.3, 0.99);
        add("sallyport", 2, 600, 0.3, 0.99);
        results.add(new Sample("mitm", "mockserver", 1, Map.of(), "it ended at once: no | luck"));
    }

    private void add(String peer, int round, double rate, double loadBusy, double proxyBusy) throws IOException {
        results.add(new Sample(
                "mitm",
                peer,
                round,
                Map.of("per_second", rate, "load_busy", loadBusy, "proxy_busy", proxyBusy, "cpu_us", 12.345),
                ""));
    }

    private Report report() {
        return new Report(results, Catalogue.all(), bars);
    }

    @Test
    void tablesHaveMediansSpreadAndRatiosByRound() throws IOException {
        String text = Files.readString(report().write(folder));

        assertThat(text).contains("## mitm\n");
        assertThat(text).contains("| sallyport | 500 (400–600) |  |  | 12.3 |  |  | 1 |");
        assertThat(text).contains("| squid * | 200 (100–300) |  |  | 12.3 |  |  | 3 (2–4) |");
    }

    @Test
    void whatFailedIsSaidWithItsReason() throws IOException {
        assertThat(Files.readString(report().write(folder)))
                .contains("- mockserver: failed: it ended at once: no \\| luck\n")
                .contains("| processor | a \\| b |");
    }

    @Test
    void whereLoadAndOriginLimitIsMarked() throws IOException {
        String text = Files.readString(report().write(folder));

        assertThat(text).contains("squid *").doesNotContain("sallyport *").contains("compare the processor time");
    }

    @Test
    void barsSayWhetherTheyAreReached() throws IOException {
        Files.writeString(bars, """
                # promises
                mitm per_second sallyport / squid >= 3.5
                mitm per_second sallyport - squid >= 300
                mitm cpu_us sallyport <= 12
                http per_second sallyport >= 1
                """);

        assertThat(Files.readString(report().write(folder)))
                .contains("| mitm per_second sallyport / squid >= 3.5 | 3 (2–4) | **no** |")
                .contains("| mitm per_second sallyport - squid >= 300 | 300 | yes |")
                .contains("| mitm cpu_us sallyport <= 12 | 12.3 | **no** |")
                .doesNotContain("http per_second");
    }

    @Test
    void aBarThatCannotBeReadIsAProblem() {
        assertThatThrownBy(() -> Bar.parse("mitm per_second sallyport > 3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mitm per_second sallyport > 3")
                .hasMessageContaining("expected:");
    }

    @Test
    void plotsAreWellFormedAndHaveABarForEachPeer() throws Exception {
        String svg = report().plots().get("mitm.svg");
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));

        assertThat(document.getElementsByTagName("path").getLength()).isEqualTo(2);
        assertThat(svg).contains(">sallyport<").contains(">500<").doesNotContain("mockserver");
    }

    @Test
    void everySampleIsInTheJson() throws IOException {
        report().write(folder);
        JsonNode json =
                new ObjectMapper().readTree(folder.resolve("results.json").toFile());

        assertThat(json.get("samples")).hasSize(5);
        assertThat(json.at("/samples/3/values/per_second").asDouble()).isEqualTo(600);
        assertThat(json.at("/facts/processor").asText()).isEqualTo("a | b");
    }

    @Test
    void aRunIsTakenUpWhereItStopped() throws IOException {
        Results again = new Results(folder.resolve("run"));

        assertThat(again.samples()).isEqualTo(results.samples());
        assertThat(again.facts()).isEqualTo(results.facts());
        assertThat(again.has("mitm", "squid", 2)).isTrue();
        assertThat(again.has("mitm", "squid", 3)).isFalse();
        assertThat(again.has("mitm", "mockserver", 1))
                .as("failed, so to be tried again")
                .isFalse();
    }

    @Test
    void publishingReplacesWhatStandsBetweenTheMarks() throws IOException {
        Path docs = Files.createDirectories(folder.resolve("docs"));
        Path page = docs.resolve("performance.md");
        Files.writeString(page, "before\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nafter\n");
        report().write(results.folder());
        new Publication(docs).publish(report(), results);
        new Publication(docs).publish(report(), results);

        assertThat(Files.readString(page))
                .startsWith("before\n<!-- measured: begin -->\n\n| | |")
                .endsWith("<!-- measured: end -->\nafter\n")
                .contains("### mitm", "![requests/s](performance/mitm.svg)")
                .doesNotContain("old")
                .containsOnlyOnce("### mitm");
        assertThat(docs.resolve("performance/mitm.svg")).exists();
        assertThat(docs.resolve("performance/results.json")).exists();
    }

    @Test
    void aPageWithoutMarksIsAProblem() throws IOException {
        Path docs = Files.createDirectories(folder.resolve("docs"));
        Files.writeString(docs.resolve("performance.md"), "text");

        assertThatThrownBy(() -> new Publication(docs).publish(report(), results))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("<!-- measured: begin -->");
    }
}
