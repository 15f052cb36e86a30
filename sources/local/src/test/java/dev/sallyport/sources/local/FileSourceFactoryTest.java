package dev.sallyport.sources.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The source {@code file}: {@code path}, {@code trim}, {@code ttl}; exact bytes. */
class FileSourceFactoryTest {

    private final FileSourceFactory factory = new FileSourceFactory();

    @TempDir
    Path folder;

    private SecretSource source(Path path, boolean trim) {
        return factory.create(new FileSource(path, trim, Duration.ZERO), new Environment(Map.of()));
    }

    private Path file(byte[] content) throws Exception {
        return Files.write(folder.resolve("token"), content);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void readsTheExactBytes() throws Exception {
        byte[] content = {' ', 0, (byte) 0xff, (byte) 0xc3, '\n'};
        SecretSource source = source(file(content), false);
        assertThat(source.read().bytes()).isEqualTo(content);
        assertThat(source.name()).isEqualTo(folder.resolve("token").toString());
    }

    @Test
    void trimLeavesOutTheWhiteSpaceAround() throws Exception {
        assertThat(source(file(bytes("\r\n\t s3cr3t with space \n\n")), true)
                        .read()
                        .text())
                .isEqualTo("s3cr3t with space");
    }

    @Test
    void eachReadSeesTheFileOfThatMoment() throws Exception {
        SecretSource source = source(file(bytes("first")), false);
        assertThat(source.read().text()).isEqualTo("first");
        Path next = Files.write(folder.resolve("next"), bytes("second"));
        Files.move(next, folder.resolve("token"), StandardCopyOption.ATOMIC_MOVE);
        assertThat(source.read().text()).isEqualTo("second");
    }

    @Test
    void aLinkIsFollowed() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), file(bytes("s3cr3t")));
        assertThat(source(link, false).read().text()).isEqualTo("s3cr3t");
    }

    @Test
    void aMissingFileIsNamed() {
        Path missing = folder.resolve("missing");
        assertThatThrownBy(() -> source(missing, false).read())
                .isInstanceOf(SecretException.class)
                .hasMessage("file " + missing + " does not exist");
    }

    @Test
    void anEmptyFileIsAnError() throws Exception {
        Path empty = file(new byte[0]);
        assertThatThrownBy(() -> source(empty, false).read())
                .isInstanceOf(SecretException.class)
                .hasMessage("file " + empty + " is empty");
    }

    @Test
    void aFileOfWhiteSpaceIsEmptyOnceTrimmed() throws Exception {
        Path blank = file(bytes(" \n"));
        assertThatThrownBy(() -> source(blank, true).read()).hasMessage("file " + blank + " is empty");
    }

    @Test
    void whatIsNoFileIsRefusedAtOnce() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        assertThatThrownBy(() -> source(pipe, false).read()).hasMessage("file " + pipe + " is not a regular file");
        assertThatThrownBy(() -> source(folder, false).read()).hasMessage("file " + folder + " is not a regular file");
    }

    @Test
    void theLongestValueIsOneMebibyte() throws Exception {
        Path longest = file(new byte[FileSourceFactory.MAX_BYTES]);
        assertThat(source(longest, false).read().length()).isEqualTo(1_048_576);
        Path longer = file(new byte[FileSourceFactory.MAX_BYTES + 1]);
        assertThatThrownBy(() -> source(longer, false).read())
                .hasMessage("file " + longer + " is longer than 1048576 bytes");
    }

    @Test
    void theServiceLoaderFindsIt() {
        assertThat(ServiceLoader.load(SecretSourceFactory.class))
                .extracting(found -> found.descriptor().name())
                .contains("file");
    }
}
