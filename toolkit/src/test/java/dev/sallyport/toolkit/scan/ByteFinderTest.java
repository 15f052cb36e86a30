package dev.sallyport.toolkit.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The search for a few bytes")
class ByteFinderTest {

    /** Words, blocks and copies are 8, 512 and 4,096 bytes long. */
    private static final int LONGEST = 4096 + 1024 + 9;

    private static final byte[] FIVE = "\\%&+\0".getBytes(StandardCharsets.ISO_8859_1);

    private final ByteFinder finder = ByteFinder.of(FIVE);

    @Test
    @DisplayName("finds each byte wherever it stands, and the first of several")
    void findsEachByteEverywhere() {
        for (int at = 0; at < LONGEST; at++) {
            byte[] text = text(LONGEST);
            text[at] = FIVE[at % FIVE.length];
            if (at + 3 < LONGEST) {
                text[at + 3] = FIVE[(at + 1) % FIVE.length];
            }
            for (ByteBuffer data : buffers(text)) {
                assertThat(finder.indexIn(data, 0, LONGEST)).isEqualTo(at);
                assertThat(finder.indexIn(data, at, at + 1)).isEqualTo(at);
            }
        }
    }

    @Test
    @DisplayName("sees nothing before the beginning, nor from the end on")
    void staysWithinItsBounds() {
        for (int length : new int[] {0, 1, 7, 8, 9, 127, 128, 129, 640, 641, 4095, 4096, 4097, LONGEST - 2}) {
            byte[] text = text(LONGEST);
            text[0] = '%';
            text[1 + length] = '%';
            for (ByteBuffer data : buffers(text)) {
                assertThat(finder.indexIn(data, 1, 1 + length)).as("%d", length).isEqualTo(-1);
                assertThat(data.position()).isZero();
            }
        }
    }

    @Test
    @DisplayName("takes no byte for one that differs from it in a bit")
    void findsNoOther() {
        for (int value = -128; value < 128; value++) {
            byte[] text = new byte[700];
            Arrays.fill(text, (byte) value);
            boolean isOne = Arrays.binarySearch(sorted(), (byte) value) >= 0;
            assertThat(finder.indexIn(ByteBuffer.wrap(text), 0, text.length)).isEqualTo(isOne ? 0 : -1);
        }
    }

    @Test
    @DisplayName("takes bytes twice, and no more than five")
    void isMadeOfFewBytes() {
        ByteFinder two = ByteFinder.of((byte) 'a', (byte) -1, (byte) 'a');
        byte[] text = {'b', 'c', -1, 'a'};
        assertThat(two.indexIn(ByteBuffer.wrap(text), 0, 4)).isEqualTo(2);
        assertThatThrownBy(() -> ByteFinder.of((byte) 1, (byte) 2, (byte) 3, (byte) 4, (byte) 5, (byte) 6))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 5");
        assertThatThrownBy(() -> ByteFinder.of()).isInstanceOf(IllegalArgumentException.class);
    }

    private static byte[] sorted() {
        byte[] sorted = FIVE.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    private static byte[] text(int length) {
        byte[] text = new byte[length];
        for (int i = 0; i < length; i++) {
            text[i] = (byte) ('0' + i % 77);
            if (text[i] == '\\') {
                text[i] = (byte) 0xa5;
            }
        }
        return text;
    }

    private static List<ByteBuffer> buffers(byte[] text) {
        return List.of(
                ByteBuffer.wrap(text),
                ByteBuffer.wrap(text).asReadOnlyBuffer(),
                ByteBuffer.allocateDirect(text.length).put(text).flip());
    }
}
