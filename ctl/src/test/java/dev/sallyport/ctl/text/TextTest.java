package dev.sallyport.ctl.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables and times. */
class TextTest {

    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");

    @Test
    void columnsAreAsWideAsTheyMustBe() {
        Table table = new Table(List.of("NAME", "X"));
        table.row(List.of("a-long-name", "1"));
        table.row(List.of("\ud83d\ude80", ""));
        StringWriter out = new StringWriter();

        table.print(new PrintWriter(out, true));

        assertThat(out).hasToString("NAME          X\na-long-name   1\n\ud83d\ude80             <none>\n");
    }

    @ParameterizedTest
    @CsvSource({"30s, PT30S", "5m, PT5M", "12h, PT12H", "90d, P90D", "0s, PT0S"})
    void durationsAreRead(String text, Duration duration) {
        assertThat(Times.duration(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "s", "-1s", "1.5h", "1w", "1000000s"})
    void whatIsNoDurationIsRefused(String text) {
        assertThatThrownBy(() -> Times.duration(text)).hasMessageContaining("expected: such as 30s");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-02T00:00:05Z, 0s",
        "2026-01-01T23:59:00Z, 60s",
        "2026-01-01T23:57:59Z, 2m",
        "2026-01-01T22:01:00Z, 119m",
        "2026-01-01T22:00:00Z, 2h",
        "2025-12-31T00:00:00Z, 2d",
        "2020-01-02T00:00:00Z, 2192d",
        "soon, soon"
    })
    void agesAreRough(String time, String age) {
        assertThat(Times.age(time, NOW)).isEqualTo(age);
    }

    @ParameterizedTest
    @CsvSource({"2026-01-02T00:00:00Z, expired", "2026-01-02T00:01:00Z, in 60s", "2026-02-02T00:00:00Z, in 31d", "?, ?"
    })
    void endsAreRough(String time, String end) {
        assertThat(Times.end(time, NOW)).isEqualTo(end);
    }

    @ParameterizedTest
    @CsvSource({
        "1h, 2026-11-21T11:00:00Z",
        "7d, 2026-11-14T12:00:00Z",
        "2026-11-20, 2026-11-20T00:00:00Z",
        "2026-11-20T04:00:00, 2026-11-20T04:00:00Z",
        "2026-11-20T04:00:00Z, 2026-11-20T04:00:00Z",
        "2026-11-20T04:00:00+02:00, 2026-11-20T02:00:00Z"
    })
    void momentsAreRead(String text, Instant moment) {
        assertThat(Times.moment(text, Instant.parse("2026-11-21T12:00:00Z"))).isEqualTo(moment);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yesterday", "1w", "-1h", "2026-13-01", "2026-11-20T25:00:00Z", "12:00"})
    void whatIsNoMomentIsRefused(String text) {
        assertThatThrownBy(() -> Times.moment(text, NOW)).hasMessageContaining("expected: such as 2026-11-29");
    }
}
