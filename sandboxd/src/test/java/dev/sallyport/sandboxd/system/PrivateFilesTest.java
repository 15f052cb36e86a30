package dev.sallyport.sandboxd.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sallyport.sandboxd.vm.CommonNeeds;
import dev.sallyport.testsupport.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchService;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are nobody else's. */
class PrivateFilesTest {

    @TempDir
    Path folder;

    @Test
    void aFileIsItsOwnersFromTheFirstMomentOn() throws Exception {
        Path file = folder.resolve("file");

        PrivateFiles.create(file);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aFileThatIsBeingWrittenHasAHiddenName() throws Exception {
        try (WatchService watch = folder.getFileSystem().newWatchService()) {
            folder.register(watch, StandardWatchEventKinds.ENTRY_CREATE);

            PrivateFiles.write(folder.resolve("file"), "text");

            List<String> created = watch.take().pollEvents().stream()
                    .map(WatchEvent::context)
                    .map(Object::toString)
                    .toList();
            assertThat(created).first().isEqualTo(".file.new");
        }
        assertThat(folder.resolve("file")).hasContent("text");
    }

    @Test
    void aFileThatCannotBeWrittenLeavesNothing() throws Exception {
        Path taken = Files.createDirectories(folder.resolve("taken/below"));

        assertThatThrownBy(() -> PrivateFiles.write(taken.getParent(), "text")).isInstanceOf(IOException.class);

        assertThat(folder).isDirectoryNotContaining("glob:**/.*");
    }

    @Test
    void aFolderIsRemovedWithWhatIsInItAndWhatALinkLeadsToStays() throws Exception {
        Path kept = Files.createDirectory(folder.resolve("kept"));
        Files.writeString(kept.resolve("file"), "text");
        Path home = folder.resolve("home");
        Files.createDirectories(home.resolve("below/further"));
        Files.writeString(home.resolve("below/file"), "text");
        Files.createSymbolicLink(home.resolve("below/link"), kept);

        PrivateFiles.deleteFolder(home);
        PrivateFiles.deleteFolder(home);

        assertThat(home).doesNotExist();
        assertThat(kept.resolve("file")).hasContent("text");
    }

    @Test
    void whatIsMountedInAFolderIsNotRemovedWithIt() throws Exception {
        assumeTrue(CommonNeeds.isRoot(), "needs root, to mount");
        Path point = Files.createDirectories(folder.resolve("home/point"));
        Tools.run("mount", "-t", "tmpfs", "tmpfs", point.toString());
        try {
            Path file = Files.writeString(point.resolve("file"), "text");

            assertThatIOException()
                    .isThrownBy(() -> PrivateFiles.deleteFolder(folder.resolve("home")))
                    .withMessage(point + " is in another file system");
            assertThat(file).hasContent("text");
        } finally {
            Mounts.unmountUnder(point);
        }
    }

    @Test
    void whatAProcessThatWasKilledHadBegunToWriteIsRemoved() throws Exception {
        Files.writeString(folder.resolve(".file.new"), "te");
        Files.writeString(folder.resolve("other.new"), "text");
        Files.writeString(folder.resolve(".hidden"), "text");

        PrivateFiles.removeUnfinished(folder);

        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("other.new", ".hidden");
    }
}
