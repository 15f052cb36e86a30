package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Archives as the kernel reads them. */
class CpioTest {

    /** Reads what {@code initramfs/init.c} of Linux reads: fields of eight hexadecimal digits, all of it at multiples of four. */
    static Map<String, String> read(byte[] archive) {
        Map<String, String> all = new LinkedHashMap<>();
        int at = 0;
        while (at < archive.length) {
            String head = new String(archive, at, 110, StandardCharsets.US_ASCII);
            assertThat(head).startsWith("070701");
            int mode = Integer.parseInt(head.substring(14, 22), 16);
            int size = Integer.parseInt(head.substring(54, 62), 16);
            int nameLength = Integer.parseInt(head.substring(94, 102), 16);
            String name = new String(archive, at + 110, nameLength - 1, StandardCharsets.UTF_8);
            at = aligned(at + 110 + nameLength);
            all.put(name, Integer.toOctalString(mode) + " " + new String(archive, at, size, StandardCharsets.UTF_8));
            at = aligned(at + size);
        }
        return all;
    }

    private static int aligned(int offset) {
        return (offset + 3) / 4 * 4;
    }

    @Test
    void whatWasAddedIsThere() {
        Cpio archive = new Cpio()
                .folder("a", 0700)
                .file("a/b", 0644, "text")
                .file("a/empty", 0600, "")
                .device("console", 0600, 5, 1);

        byte[] bytes = archive.toByteArray();

        assertThat(read(bytes))
                .containsExactly(
                        Map.entry("a", "40700 "),
                        Map.entry("a/b", "100644 text"),
                        Map.entry("a/empty", "100600 "),
                        Map.entry("console", "20600 "),
                        Map.entry("TRAILER!!!", "0 "));
        assertThat(bytes.length % 4).isZero();
        assertThat(archive.toByteArray()).as("it can be asked for again").isEqualTo(bytes);
    }
}
