package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandboxd.system.UnixConnection;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of what a machine had in memory. */
class SavedStateTest {

    private static final int MOST = 8 << 20;
    private static final String SHAPE = "memory=128 qemu=7.2.22 Debian";

    @TempDir
    Path folder;

    private Path file;
    private byte[] content;

    @BeforeEach
    void write() throws Exception {
        file = folder.resolve("memory");
        content = new byte[3_000_000];
        new Random(27).nextBytes(content);
        try (SavedState.Writer writer = new SavedState.Writer(file, MOST)) {
            writer.write(ByteBuffer.wrap(content, 0, 1_000_000));
            writer.write(ByteBuffer.wrap(content, 1_000_000, 2_000_000));
            writer.finish(SHAPE);
        }
    }

    /** What the other end gets, whatever becomes of the sending. */
    private byte[] send() throws Exception {
        Path socket = folder.resolve("s");
        Files.deleteIfExists(socket);
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        try (UnixPeer peer = new UnixPeer(socket, (in, out) -> {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            in.transferTo(all);
            got.complete(all.toByteArray());
        })) {
            try (UnixConnection connection = UnixConnection.open(socket, Duration.ofSeconds(60))) {
                SavedState.send(file, connection);
            }
            return got.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void itSaysWhatItIsAndIsSentAsItWasWritten() throws Exception {
        assertThat(SavedState.head(file).shape()).isEqualTo(SHAPE);
        assertThat(SavedState.head(file).bytes()).isEqualTo(content.length);
        assertThat(send()).isEqualTo(content);
    }

    @Test
    void nobodyElseReadsIt() throws Exception {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aByteThatHasChangedIsNoticed() throws Exception {
        byte[] whole = Files.readAllBytes(file);
        whole[whole.length - 1]++;
        Files.write(file, whole);

        assertThatThrownBy(this::send).isInstanceOf(WireException.class).hasMessageContaining("damaged");
    }

    @Test
    void oneThatIsCutOffIsNoticed() throws Exception {
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length - 1));

        assertThatThrownBy(this::send).isInstanceOf(WireException.class).hasMessageContaining("damaged");
    }

    @Test
    void oneThatWasNotFinishedIsNone() throws Exception {
        Path other = folder.resolve("other");
        try (SavedState.Writer writer = new SavedState.Writer(other, MOST)) {
            writer.write(ByteBuffer.wrap(content));
        }

        assertThatThrownBy(() -> SavedState.head(other)).isInstanceOf(WireException.class);
        Files.write(other, new byte[10]);
        assertThatThrownBy(() -> SavedState.head(other)).isInstanceOf(WireException.class);
    }

    @Test
    void noneBecomesLargerThanItMay() throws Exception {
        try (SavedState.Writer writer = new SavedState.Writer(folder.resolve("small"), 2_000_000)) {
            writer.write(ByteBuffer.wrap(content, 0, 1_000_000));

            assertThatThrownBy(() -> writer.write(ByteBuffer.wrap(content)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("more than");
        }
    }
}
