package dev.sallyport.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check of metrics finds what it is for. */
class ExpositionLintTest {

    private static final String GOOD = """
            # HELP sallyport_x_total Times.
            # TYPE sallyport_x_total counter
            sallyport_x_total{a="b \\"c\\"",d="e"} 1.0
            # HELP sallyport_y_seconds How long.
            # TYPE sallyport_y_seconds histogram
            sallyport_y_seconds_bucket{le="+Inf"} 1
            sallyport_y_seconds_count 1
            sallyport_y_seconds_sum 1.5E-4
            """;

    @Test
    void what_is_good_passes() {
        assertThat(ExpositionLint.problems(GOOD)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sallyport_x_total | sallyport_x | _total is for counters",
                "sallyport_y_seconds | sallyport_y_total | _total is for counters",
                "sallyport_y_seconds | sallyport_y_milliseconds | not a base unit",
                "sallyport_y_seconds | sallyport_seconds_y | does not end with its unit",
                "sallyport_y_seconds | sallyport_y_histogram | names its type",
                "sallyport_x_total | sallyportX_total | not in snake case",
                "sallyport_x_total | other_x_total | begins with nobody's name",
                "HELP sallyport_x_total Times. | HELP sallyport_x_total | no sentence for help",
                "HELP sallyport_x_total Times. | COMMENT | has no help",
                "d= | dE= | label that is not in snake case",
                "d= | a.b= | labels that cannot be read",
                "d= | le= | label of a histogram",
                "1.5E-4 | fast | has no number",
                "sallyport_y_seconds_sum 1.5E-4 | sallyport_y_seconds_count 1 | is there twice",
                "sallyport_y_seconds_sum | sallyport_z_sum | not of the family",
                "TYPE sallyport_y_seconds | TYPE sallyport_x_total | told twice"
            })
    void what_is_not_is_named(String good, String bad, String problem) {
        assertThat(ExpositionLint.problems(GOOD.replace(good, bad))).anyMatch(line -> line.contains(problem));
    }

    @Test
    void nothing_is_no_exposition() {
        assertThat(ExpositionLint.problems("")).containsExactly("no sample at all");
    }
}
