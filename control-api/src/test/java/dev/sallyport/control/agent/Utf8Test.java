package dev.sallyport.control.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Pieces of what a program writes. */
class Utf8Test {

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void linesAreKeptWholeWhileMoreMayCome() {
        assertThat(Utf8.usable(bytes("a\nb\nc"), false)).isEqualTo(4);
        assertThat(Utf8.usable(bytes("abc"), false)).isZero();
        assertThat(Utf8.usable(bytes("abc"), true)).isEqualTo(3);
        assertThat(Utf8.usable(bytes("a\nbc"), true)).isEqualTo(4);
        assertThat(Utf8.usable(new byte[0], true)).isZero();
    }

    @Test
    void aLongLineIsCutBetweenCharacters() {
        byte[] text = bytes("a".repeat(4_095) + "€€");
        for (int length = 4_096; length <= text.length; length++) {
            byte[] piece = Arrays.copyOf(text, length);
            int usable = Utf8.usable(piece, false);

            assertThat(new String(piece, 0, usable, StandardCharsets.UTF_8)).doesNotContain("\uFFFD");
            assertThat(usable).isGreaterThan(length - 4);
        }
    }

    @Test
    void whatIsNoTextIsNotHeldBackForEver() {
        byte[] noise = new byte[5_000];
        Arrays.fill(noise, (byte) 0x80);

        assertThat(Utf8.usable(noise, false)).isGreaterThan(4_990);
    }
}
