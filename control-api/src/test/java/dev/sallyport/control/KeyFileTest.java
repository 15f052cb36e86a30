package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sallyport.control.crypto.Envelope;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The file of the encryption key. */
class KeyFileTest {

    @TempDir
    Path folder;

    @Test
    void ofProcessesAtOnceAllGetTheKeyOfOneAndNoDraftIsLeft() throws Exception {
        Path file = folder.resolve("encryption.key");
        List<Future<String>> keys = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 8; i++) {
                keys.add(threads.submit(() -> KeyFile.readOrMake(file)));
            }
        }

        for (Future<String> key : keys) {
            assertThat(key.get()).isEqualTo(Files.readString(file));
        }
        assertThat(Envelope.of(Files.readString(file))).isNotNull();
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void aKeyThatOthersMayReadIsWarnedOfWithoutItsText() throws Exception {
        Path file = Files.writeString(folder.resolve("open.key"), "hunter2");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Logger logger = (Logger) LoggerFactory.getLogger(KeyFile.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            KeyFile.readOrMake(file);
        } finally {
            logger.detachAppender(log);
        }

        assertThat(log.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage())
                        .contains("other users may read", file.toString())
                        .doesNotContain("hunter2"));
    }

    @Test
    void aKeyThatIsThereIsNotReplaced() throws Exception {
        Path file = Files.writeString(folder.resolve("mine.key"), "text");

        assertThat(KeyFile.readOrMake(file)).isEqualTo("text");
    }

    @Test
    void aKeyThatIsReplacedKeepsItsLinkItsModeAndItsOwner() throws Exception {
        Path real =
                Files.writeString(Files.createDirectory(folder.resolve("mount")).resolve("real.key"), "old");
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rw-r-----"));
        boolean root = "root".equals(System.getProperty("user.name"));
        if (root) {
            Files.setAttribute(real, "unix:uid", 65534);
            Files.setAttribute(real, "unix:gid", 65534);
        }
        Path link = Files.createSymbolicLink(folder.resolve("encryption.key"), real);

        KeyFile.replace(link, "new");

        assertThat(Files.isSymbolicLink(link)).isTrue();
        assertThat(Files.readString(real)).isEqualTo("new");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(real)))
                .isEqualTo("rw-r-----");
        if (root) {
            assertThat(Files.getAttribute(real, "unix:uid")).isEqualTo(65534);
            assertThat(Files.getAttribute(real, "unix:gid")).isEqualTo(65534);
        }
        try (Stream<Path> files = Files.list(real.getParent())) {
            assertThat(files).containsExactly(real);
        }
    }
}
