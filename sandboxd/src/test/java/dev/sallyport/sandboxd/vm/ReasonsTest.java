package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What those who ask are told of a failure. */
class ReasonsTest {

    private static final Path FULL = Path.of("/dev/full");

    private interface Writing {
        void run() throws IOException;
    }

    private static Reason of(Writing writing) {
        try {
            writing.run();
        } catch (IOException e) {
            return Reasons.of(e);
        }
        throw new AssertionError("it was written");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileForWhichThereIsNoRoom() {
        assertThat(of(() -> Files.writeString(FULL, "x"))).isEqualTo(Reason.EXHAUSTED);
        assertThat(of(() -> {
                    try (OutputStream out = new FileOutputStream(FULL.toFile())) {
                        out.write(1);
                    }
                }))
                .isEqualTo(Reason.EXHAUSTED);
        assertThat(of(() -> {
                    try (FileChannel channel = FileChannel.open(FULL, StandardOpenOption.WRITE)) {
                        channel.write(ByteBuffer.allocate(1));
                    }
                }))
                .isEqualTo(Reason.EXHAUSTED);
        assertThat(Reasons.of(new FileSystemException("/vms/a", null, "No space left on device")))
                .isEqualTo(Reason.EXHAUSTED);
    }

    @Test
    void aFileThatIsNotThere() {
        assertThat(Reasons.of(new NoSuchFileException("/No space left on device/a")))
                .isEqualTo(Reason.FAILED);
        assertThat(Reasons.of(new IOException((String) null))).isEqualTo(Reason.FAILED);
    }

    @Test
    void aProgramThatEnds() {
        assertThat(Reasons.of(CommandException.ended("mke2fs", 1, "mke2fs: No space left on device")))
                .isEqualTo(Reason.EXHAUSTED);
        assertThat(Reasons.of(CommandException.ended("mke2fs", 137, ""))).isEqualTo(Reason.UNAVAILABLE);
        assertThat(Reasons.of(CommandException.ended("mke2fs", 1, "bad usage"))).isEqualTo(Reason.FAILED);
    }
}
