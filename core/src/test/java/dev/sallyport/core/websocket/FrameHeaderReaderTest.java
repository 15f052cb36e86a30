package dev.sallyport.core.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 6455, 5.2, byte by byte. */
class FrameHeaderReaderTest {

    private final FrameHeaderReader head = new FrameHeaderReader();

    private static byte[] bytes(int... values) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int value : values) {
            out.write(value);
        }
        return out.toByteArray();
    }

    /** Takes a head of which only the last byte is the last. */
    private void read(byte[] bytes) {
        assertThat(head.atStart()).isTrue();
        for (int i = 0; i < bytes.length; i++) {
            boolean last = i == bytes.length - 1;
            assertThat(head.take(bytes[i])).as("byte %d", i).isEqualTo(last);
            assertThat(head.atStart()).as("after byte %d", i).isEqualTo(last);
        }
    }

    /** A head whose length is written in this many bytes behind the second. */
    private static byte[] head(int first, long length, int lengthBytes, int... key) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(first);
        int stated = lengthBytes == 0 ? (int) length : lengthBytes == 2 ? 126 : 127;
        out.write(stated | (key.length > 0 ? 0x80 : 0));
        for (int i = lengthBytes - 1; i >= 0; i--) {
            out.write((int) (length >>> (8 * i)));
        }
        out.writeBytes(bytes(key));
        return out.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({
        "0,0,false",
        "1,0,false",
        "125,0,false",
        "125,2,true",
        "126,2,false",
        "65535,2,false",
        "65535,8,true",
        "65536,8,false",
        "0,8,true",
        "2147483648,8,false",
        "9223372036854775807,8,false",
        "-1,8,false",
        "-9223372036854775808,8,false",
    })
    void lengthsAtTheirEdgesAndHowTheyAreWritten(long length, int lengthBytes, boolean wasteful) {
        read(head(0x82, length, lengthBytes));

        assertThat(head.length()).isEqualTo(length);
        assertThat(head.wasteful()).isEqualTo(wasteful);
        assertThat(head.masked()).isFalse();
        assertThat(head.mask()).isZero();

        read(head(0x82, length, lengthBytes, 0xfe, 0, 1, 0x80));

        assertThat(head.length()).isEqualTo(length);
        assertThat(head.wasteful()).isEqualTo(wasteful);
        assertThat(head.masked()).isTrue();
        assertThat(head.mask()).isEqualTo(0xfe00_0180);
    }

    @Test
    void everyFirstByteIsTakenApart() {
        for (int first = 0; first < 256; first++) {
            read(bytes(first, 0));

            assertThat(head.first()).isEqualTo(first);
            assertThat(head.opcode()).isEqualTo(first % 16);
            assertThat(head.fin()).isEqualTo(first >= 128);
            assertThat(head.rsv1()).isEqualTo((first & 64) != 0);
            assertThat(head.otherBits()).isEqualTo((first & 32) != 0 || (first & 16) != 0);
            assertThat(head.control()).isEqualTo(first % 16 >= 8);
        }
    }

    @Test
    void nothingOfOneHeadIsLeftInTheNext() {
        read(head(0xff, -1, 8, 0xff, 0xff, 0xff, 0xff));
        read(bytes(0x01, 0x00));

        assertThat(head.length()).isZero();
        assertThat(head.masked()).isFalse();
        assertThat(head.mask()).isZero();
        assertThat(head.fin()).isFalse();
        assertThat(head.wasteful()).isFalse();

        read(head(0x02, 300, 2, 1, 2, 3, 4));
        read(head(0x00, 5, 0, 5, 6, 7, 8));

        assertThat(head.length()).isEqualTo(5);
        assertThat(head.mask()).isEqualTo(0x0506_0708);
    }
}
