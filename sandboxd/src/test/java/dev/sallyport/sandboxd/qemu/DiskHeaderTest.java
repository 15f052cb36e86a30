package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandboxd.wire.WireException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What disks say of themselves. */
class DiskHeaderTest {

    private static final DiskHeader MADE = new DiskHeader(1 << 20, "../../images/i/disk.ext4");

    @TempDir
    Path folder;

    /** As qcow2.txt of QEMU has it. */
    private Path disk(int magic, int version, long features, String below) throws Exception {
        byte[] name = below.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(4096).putInt(magic).putInt(version);
        bytes.putLong(512).putInt(name.length).putInt(16).putLong(MADE.size());
        bytes.position(72).putLong(features);
        bytes.position(512).put(name);
        return Files.write(folder.resolve("disk"), bytes.array());
    }

    @Test
    void itIsReadAndKeptAsText() throws Exception {
        Path disk = disk(0x514649FB, 3, 1, MADE.below());

        assertThat(DiskHeader.read(disk)).isEqualTo(MADE);
        assertThat(DiskHeader.parse(MADE.toText())).isEqualTo(MADE);
        MADE.require(disk);
        assertThatThrownBy(() -> DiskHeader.parse("1\n")).isInstanceOf(WireException.class);
    }

    @Test
    void oneThatLiesOnAnotherFileNowIsNotWhatItWas() throws Exception {
        Path disk = disk(0x514649FB, 3, 0, "/etc/shadow");

        assertThatThrownBy(() -> MADE.require(disk))
                .isInstanceOf(WireException.class)
                .hasMessageContaining("not what it was made as");
    }

    @Test
    void oneThatKeepsItsDataInAnotherFileIsRefused() throws Exception {
        Path disk = disk(0x514649FB, 3, 4, MADE.below());

        assertThatThrownBy(() -> DiskHeader.read(disk)).hasMessageContaining("features");
    }

    @Test
    void otherFormsAndPiecesAreRefused() throws Exception {
        assertThatThrownBy(() -> DiskHeader.read(disk(0x4B444D56, 3, 0, ""))).isInstanceOf(WireException.class);
        assertThatThrownBy(() -> DiskHeader.read(disk(0x514649FB, 2, 0, ""))).isInstanceOf(WireException.class);
        assertThatThrownBy(() -> DiskHeader.read(disk(0x514649FB, 3, 0, "x".repeat(1024))))
                .isInstanceOf(WireException.class);
        Path piece = Files.write(folder.resolve("piece"), new byte[] {0x51, 0x46, 0x49, (byte) 0xFB, 0, 0, 0, 3, 0});
        assertThatThrownBy(() -> DiskHeader.read(piece))
                .isInstanceOf(WireException.class)
                .hasMessageContaining("cut off");
    }
}
