package dev.sallyport.transforms.bodycapture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Trace;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 5: captured bytes take a byte budget. */
class CaptureTest {

    /** A record with little room. */
    private static final class Tight implements Trace {

        private final Map<String, Object> annotations = new LinkedHashMap<>();
        private final Map<String, Object> groups = new LinkedHashMap<>();
        private int room;
        private int taken;

        Tight(int room) {
            this.room = room;
        }

        @Override
        public void annotate(String key, Object value) {
            annotations.put(key, value);
        }

        @Override
        public void group(String name, Map<String, ?> fields) {
            groups.put(name, fields);
        }

        @Override
        public boolean reserve(int bytes) {
            if (bytes > room) {
                return false;
            }
            room -= bytes;
            taken += bytes;
            return true;
        }

        @Override
        public void warn() {}
    }

    private static ByteBuffer bytes(int length) {
        return ByteBuffer.wrap("x".repeat(length).getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void roomIsTakenAsItIsNeededAndNeverMoreThanTheCap() {
        Tight trace = new Tight(Integer.MAX_VALUE);
        Capture capture = new Capture(5000, trace);

        capture.data(bytes(1));
        assertThat(trace.taken).isEqualTo(1024);
        capture.data(bytes(1024));
        assertThat(trace.taken).isEqualTo(2048);
        for (int i = 0; i < 1000; i++) {
            capture.data(bytes(1000));
        }
        capture.end(true);

        assertThat(trace.taken).isEqualTo(5000);
        assertThat(trace.groups)
                .containsEntry(
                        "body_capture", Map.of("request_body", "x".repeat(5000), "request_body_truncated", true));
        assertThat(trace.annotations).isEmpty();
    }

    @Test
    void withoutRoomTheRecordIsCutAndSaysSo() {
        Tight trace = new Tight(1024);
        Capture capture = new Capture(5000, trace);

        capture.data(bytes(1000));
        assertThat(capture.satisfied()).isFalse();
        capture.data(bytes(1000));
        assertThat(capture.satisfied()).isTrue();
        capture.data(bytes(1));
        capture.end(true);

        assertThat(trace.groups)
                .containsEntry(
                        "body_capture", Map.of("request_body", "x".repeat(1000), "request_body_truncated", true));
        assertThat(trace.annotations).containsEntry("body_capture_error", "there is no memory for more captured bytes");
    }

    @Test
    void withoutAnyRoomNothingIsRecorded() {
        Tight trace = new Tight(0);
        Capture capture = new Capture(5000, trace);

        capture.data(bytes(10));
        capture.end(true);

        assertThat(trace.groups).isEmpty();
        assertThat(trace.annotations).containsEntry("body_capture_error", "there is no memory for more captured bytes");
    }
}
