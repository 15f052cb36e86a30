package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a QEMU complains of. */
class ComplaintsTest {

    @Test
    void theLimitForFilesLeavesSoMuchForThemAndEndsNothing(@TempDir Path folder) throws Exception {
        Complaints complaints = new Complaints(folder.resolve("log"), 100L << 20);
        complaints.clear();
        assertThat(complaints.read()).isEmpty();

        Process loud = new ProcessBuilder(
                        "prlimit",
                        "--fsize=" + (100 << 20),
                        "sh",
                        "-c",
                        "trap '' XFSZ; exec 2>> \"$0\"; echo 'a line' >&2; echo another >&2;"
                                + " for i in $(seq 300); do printf %01000d 0 >&2; done; exit 7",
                        complaints.file().toString())
                .start();

        assertThat(loud.waitFor()).isEqualTo(7);
        assertThat(complaints.read()).startsWith("a line another");
        assertThat(Files.size(complaints.file())).isEqualTo(100L << 20);
    }
}
