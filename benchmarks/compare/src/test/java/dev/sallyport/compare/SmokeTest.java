package dev.sallyport.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.compare.peer.Peer;
import dev.sallyport.compare.peer.PeerFile;
import dev.sallyport.compare.report.Report;
import dev.sallyport.compare.report.Results;
import dev.sallyport.compare.report.Sample;
import dev.sallyport.compare.scenario.Catalogue;
import dev.sallyport.compare.scenario.Settings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The harness itself, with what needs no other program: no proxy, and the bare relay. */
class SmokeTest {

    private static final Duration BRIEF = Duration.ofMillis(300);
    private static final Settings SETTINGS =
            new Settings(2, BRIEF, BRIEF, 4, 20, 10, 1 << 20, Duration.ofMillis(10), 2, 1);

    @TempDir
    Path folder;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private Results run(List<Peer> peers, String... scenarios) throws IOException, InterruptedException {
        return run(SETTINGS, peers, scenarios);
    }

    private Results run(Settings settings, List<Peer> peers, String... scenarios)
            throws IOException, InterruptedException {
        Results results = new Results(folder.resolve("run"));
        try (Site site = new Site(Path.of("../.."), folder.resolve("run"), "");
                PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            Comparison comparison = new Comparison(
                    site.launcher(), site.dialler(), site.address(), settings, results, site.originIssuer(), "", out);
            for (var scenario : Folders.scenarios(Catalogue.all(), List.of(scenarios))) {
                comparison.run(scenario, peers);
            }
        }
        return results;
    }

    private static Peer peer(String name) throws IOException {
        return PeerFile.folder(Path.of("peers")).get(name);
    }

    @Tag("long")
    @Test
    void peersAreMeasuredInAlternationAndReported() throws Exception {
        Results results = run(List.of(peer("direct"), peer("bare")), "mitm", "grpc");

        assertThat(results.samples()).allSatisfy(sample -> {
            assertThat(sample.failure()).isEmpty();
            assertThat(sample.values().get("per_second")).isPositive();
            assertThat(sample.values().get("errors")).isZero();
        });
        assertThat(results.samples())
                .filteredOn(sample -> sample.scenario().equals("mitm"))
                .extracting(sample -> sample.peer() + " " + sample.round())
                .containsExactly("direct 1", "bare 1", "bare 2", "direct 2");
        assertThat(results.samples()).hasSize(2 * 4);
        assertThat(results.facts().get("tls bare")).contains("EC 256");
        Path report = new Report(results, Catalogue.all(), Path.of("bars.txt")).write(folder);
        // With a star, or without: who the limit is depends on the machine.
        assertThat(Files.readString(report))
                .contains("## mitm", "## grpc")
                .containsPattern("\\| bare( \\*)? \\|")
                .doesNotContain("failed");
    }

    /** As on a machine that has no time for the short windows of this test. */
    @Test
    void aWindowLastsUntilSomethingIsDone() throws Exception {
        Settings hasty = new Settings(2, BRIEF, Duration.ofNanos(1), 4, 20, 10, 1 << 20, Duration.ofMillis(10), 2, 1);

        Results results = run(hasty, List.of(peer("direct")), "download");

        assertThat(results.samples()).hasSize(2).allSatisfy(sample -> {
            assertThat(sample.failure()).isEmpty();
            assertThat(sample.values().get("gb_per_second")).isPositive();
        });
    }

    @Test
    @Tag("long")
    void bodiesPassWhole() throws Exception {
        Results results = run(List.of(peer("direct")), "download", "upload");

        assertThat(results.samples()).hasSize(4).allSatisfy(sample -> {
            assertThat(sample.failure()).isEmpty();
            assertThat(sample.values().get("gb_per_second")).isPositive();
        });
    }

    @Test
    void aPeerThatDoesNotStartIsReportedWithItsLastWords() throws Exception {
        Peer broken =
                PeerFile.parse("broken", "title: Broken\ncan: http\nstart: sh -c 'echo no port left >&2; exit 3'\n");
        Results results = run(List.of(peer("direct"), broken), "http");

        assertThat(results.samples())
                .filteredOn(sample -> sample.peer().equals("broken"))
                .singleElement()
                .extracting(Sample::failure)
                .isEqualTo("it ended at once: no port left");
        assertThat(results.samples())
                .filteredOn(sample -> sample.peer().equals("direct"))
                .hasSize(2);
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("FAILED: it ended at once: no port left");
    }

    @Test
    void whatIsMeasuredIsNotMeasuredAgain() throws Exception {
        Peer direct = peer("direct");
        Results first = run(List.of(direct), "http");
        Results second = run(List.of(direct), "http");

        assertThat(second.samples()).isEqualTo(first.samples()).hasSize(2);
    }

    @Test
    void aRunIsNotGoneOnWithUnderOtherSettings() throws Exception {
        Results results = new Results(folder.resolve("run"));
        Facts.record(results, Path.of("../.."), SETTINGS, true);
        Settings others = new Settings(2, BRIEF, BRIEF, 5, 20, 10, 1 << 20, Duration.ofMillis(10), 2, 1);

        Facts.record(results, Path.of("../.."), SETTINGS, true);
        assertThat(org.assertj.core.api.Assertions.catchThrowable(
                        () -> Facts.record(results, Path.of("../.."), others, true)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("4 connections")
                .hasMessageContaining("another --run");
    }

    @Test
    void aPeerWhoseProgramIsMissingIsNamed() throws Exception {
        Peer absent = PeerFile.parse(
                "absent",
                "title: Absent\nneeds: no-such-program\ninstall: get it\ncan: http\nstart: no-such-program\n");
        try (Site site = new Site(Path.of("../.."), folder, "")) {
            assertThat(site.launcher().missing(absent)).isEqualTo("no-such-program is not there (get it)");
            assertThat(site.launcher().missing(peer("bare"))).isEmpty();
        }
    }

    @Test
    void unknownNamesAreRefused() {
        assertThat(org.assertj.core.api.Assertions.catchThrowable(
                        () -> Folders.scenarios(Catalogue.all(), List.of("mimt"))))
                .hasMessageContaining("mimt: no such scenario (expected: mitm, ");
        assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> Folders.peers(Map.of(), List.of("squit"))))
                .hasMessageContaining("squit: no such peer");
    }
}
