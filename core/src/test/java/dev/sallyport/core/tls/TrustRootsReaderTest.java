package dev.sallyport.core.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file of roots is parsed once for as long as it stays the same. */
class TrustRootsReaderTest {

    @TempDir
    Path folder;

    private final TrustRootsReader reader = new TrustRootsReader();
    private String one;
    private String other;

    @BeforeEach
    void roots() throws Exception {
        one = TestAuthority.of(TestAuthority.Kind.EC_P256).certificatePem();
        other = TestAuthority.of(TestAuthority.Kind.EC_P256).certificatePem();
    }

    /** A file that has been left alone for long enough. */
    private Path settled(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("roots.pem"), text);
        Awaitility.await("until a change would show")
                .until(() -> FileVersion.of(file).settled(Instant.now()));
        return file;
    }

    @Test
    void aFileThatHasNotChangedIsParsedOnce() throws Exception {
        Path file = settled(one);

        assertThat(reader.of(file)).isSameAs(reader.of(file));
    }

    @Test
    void aFileThatHasJustChangedIsReadAgain() throws Exception {
        Path file = Files.writeString(folder.resolve("roots.pem"), one);
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().plus(Duration.ofHours(1))));
        TrustRoots first = reader.of(file);

        assertThat(reader.of(file)).isEqualTo(first).isNotSameAs(first);
    }

    @Test
    void aFileWithOtherContentIsParsedAgain() throws Exception {
        Path file = settled(one);
        TrustRoots first = reader.of(file);
        Files.writeString(file, one + other);

        assertThat(reader.of(file).size()).isEqualTo(2);
        assertThat(first.size()).isOne();
    }

    /** The same name, size and time, but not the same file. */
    @Test
    void aFileInItsPlaceIsParsed() throws Exception {
        Path file = settled(one + "#".repeat(other.length()));
        FileTime time = Files.getLastModifiedTime(file);
        reader.of(file);
        Path next = Files.writeString(folder.resolve("next.pem"), other + "#".repeat(one.length()));
        Files.setLastModifiedTime(next, time);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);

        assertThat(reader.of(file)).isEqualTo(TrustRoots.of(file));
    }

    @Test
    void aFileThatIsGoneOrBrokenIsReported() throws Exception {
        Path file = settled(one);
        reader.of(file);
        Files.writeString(file, "nothing");
        assertThatThrownBy(() -> reader.of(file)).isInstanceOf(TlsMaterialException.class);
        Files.delete(file);

        assertThatThrownBy(() -> reader.of(file))
                .isInstanceOf(TlsMaterialException.class)
                .hasMessageContaining("no such file");
    }

    @Test
    void whatIsNoLongerNamedIsForgotten() throws Exception {
        Path file = settled(one);
        TrustRoots first = reader.of(file);
        reader.retain(null);

        assertThat(reader.of(file)).isEqualTo(first).isNotSameAs(first);
    }
}
