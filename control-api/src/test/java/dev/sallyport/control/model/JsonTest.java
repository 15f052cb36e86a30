package dev.sallyport.control.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonTest {

    private static final DateTimeFormatter REFERENCE =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    @Test
    void instantsHaveMilliseconds() {
        assertThat(Json.text(Instant.parse("2026-01-02T03:04:05.678912Z"))).isEqualTo("2026-01-02T03:04:05.678Z");
        assertThat(Json.text(Instant.parse("2024-02-29T23:59:59Z"))).isEqualTo("2024-02-29T23:59:59.000Z");
        assertThat(Json.text(Instant.parse("0099-12-31T00:00:00.001Z"))).isEqualTo("0099-12-31T00:00:00.001Z");
        assertThat(Json.text(Instant.parse("+10000-01-01T00:00:00Z"))).isEqualTo("+10000-01-01T00:00:00.000Z");
    }

    @Test
    void instantsAreWrittenAsAFormatterWritesThem() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            Instant instant = Instant.ofEpochSecond(
                    random.nextLong(-62_135_596_800L, 300_000_000_000L), random.nextInt(1_000_000_000));
            assertThat(Json.text(instant)).isEqualTo(REFERENCE.format(instant));
        }
    }
}
