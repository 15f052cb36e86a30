package dev.sallyport.control.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What happens to values whose key is not there. */
class EnvelopeTest {

    private static byte[] sealedWithALostKey() throws Exception {
        return Envelope.of(Envelope.newKey()).seal("value".getBytes(StandardCharsets.UTF_8), "org", "secret", "row");
    }

    /** Whoever asks has it read, and then whoever waits for it reads all values again, and asks. */
    @Test
    void severalLostKeysAreAskedForNoMoreOftenThanOne() throws Exception {
        Envelope envelope = Envelope.of(Envelope.newKey());
        AtomicInteger asked = new AtomicInteger();
        envelope.onMissedKey(asked::incrementAndGet);
        List<byte[]> lost = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            lost.add(sealedWithALostKey());
        }

        for (int i = 0; i < 1000; i++) {
            byte[] sealed = lost.get(i % lost.size());
            assertThatThrownBy(() -> envelope.openNow(sealed, "org", "secret", "row"))
                    .isInstanceOf(IllegalStateException.class);
        }

        assertThat(asked.get()).as("at first, and each five seconds").isBetween(1, 10);
    }
}
