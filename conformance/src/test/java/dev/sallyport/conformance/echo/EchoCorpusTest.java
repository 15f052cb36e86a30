package dev.sallyport.conformance.echo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An origin sends back what it was sent, in every spelling and every place, at once, to the next request, and after a reload:
 * nothing of it reaches the workload (docs/spec/decisions.md, section 6).
 */
class EchoCorpusTest {

    private static final String SETTINGS = ", redact_responses: swapped";

    /** One of so many combinations is tried in every build: prime, so that all of them have their turn with some carrier. */
    private static final int SHARE = 1601;

    /** With {@code -Pfull}; all of them, which {@code -Dsallyport.echo.share=1} asks for, take three hours of one core. */
    private static final int FULL_SHARE = 13;

    @TempDir
    Path folder;

    static List<Carrier> carriers() {
        return Carrier.all();
    }

    @ParameterizedTest
    @MethodSource("carriers")
    void nothingComesBack(Carrier carrier) throws Exception {
        assertNothingComesBack(carrier, SHARE);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("carriers")
    void nothingAtAllComesBack(Carrier carrier) throws Exception {
        assertNothingComesBack(carrier, FULL_SHARE);
    }

    private void assertNothingComesBack(Carrier carrier, int share) throws Exception {
        EchoCorpus corpus = new EchoCorpus(
                folder,
                InetAddress.getByAddress(new byte[] {127, 0, 0, 1}),
                SETTINGS,
                Integer.getInteger("sallyport.echo.share", share));

        try (EchoRun run = corpus.start(carrier)) {
            corpus.wholes(run);
            corpus.beginnings(run);
            report(carrier, run);

            assertThat(run.leaks()).isEmpty();
            // A refusal gives nothing away either, but would prove nothing.
            assertThat(run.refused()).isEmpty();
            assertThat(run.runs()).hasSizeGreaterThan(Place.ALL.size() / 2);
        }
    }

    /** Appends to the file that {@code -Dsallyport.echo.report} names: carrier, place, how many, of which came back. */
    private static void report(Carrier carrier, EchoRun run) throws IOException {
        String file = System.getProperty("sallyport.echo.report", "");
        if (file.isEmpty()) {
            return;
        }
        StringBuilder lines = new StringBuilder();
        run.runs()
                .forEach((place, runs) -> lines.append("%s\t%s\t%d\t%d\t%s%n"
                        .formatted(
                                carrier,
                                place,
                                runs,
                                run.leaks().stream()
                                        .filter(leak -> leak.contains(", in " + place + ": '"))
                                        .count(),
                                run.refused().contains(place) ? "refused" : "")));
        Files.writeString(Path.of(file), lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
