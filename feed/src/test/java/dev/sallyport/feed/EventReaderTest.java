package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EventReaderTest {

    private static EventReader of(String text) {
        return new EventReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void eventsHaveNamesAndLinesOfData() throws Exception {
        EventReader reader =
                of(": comment\n\nid: 1\nevent: a\ndata: x\ndata: y\n\ndata:z\r\n\r\nevent: cut\ndata: half");

        assertThat(reader.next()).isEqualTo(new EventReader.Event("a", "x\ny"));
        assertThat(reader.next()).isEqualTo(new EventReader.Event("message", "z"));
        assertThat(reader.next()).as("an event that did not end").isNull();
    }

    @Test
    void waitsGrowUpToABound() {
        Backoff backoff = new Backoff(new Random(1));
        Duration longest = Duration.ZERO;
        for (int i = 0; i < 200; i++) {
            Duration wait = backoff.next();
            assertThat(wait).isLessThanOrEqualTo(Duration.ofSeconds(30));
            longest = wait.compareTo(longest) > 0 ? wait : longest;
        }
        assertThat(longest).isGreaterThan(Duration.ofSeconds(20));
        backoff.reset();
        assertThat(backoff.next()).isLessThanOrEqualTo(Duration.ofMillis(500));
    }
}
