package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The files of a snapshot.
 *
 * @param home all of them
 */
record SnapshotFiles(Path home) {

    static SnapshotFiles of(HostSettings settings, SnapshotId id) {
        return new SnapshotFiles(settings.snapshots().resolve(id.value()));
    }

    /** The snapshots that have files. */
    static Set<SnapshotId> ids(Path snapshots) throws IOException {
        Set<SnapshotId> ids = new TreeSet<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(snapshots)) {
            for (Path home : folders) {
                String name = home.getFileName().toString();
                if (SnapshotId.isValid(name)) {
                    ids.add(new SnapshotId(name));
                }
            }
        }
        return ids;
    }

    /** What it is made of before it is sealed. */
    Path capturedFile() {
        return home.resolve("captured.json");
    }

    /** What it is made of from then on; written before the other one is removed. */
    Path sealedFile() {
        return home.resolve("sealed.json");
    }

    /** What it adds, until it is sealed. */
    Path content() {
        return home.resolve("content");
    }

    /** What its VM had in memory; there only of kinds that have that. */
    Path memory() {
        return home.resolve("memory");
    }

    /** Null where it is not captured, or is sealed. */
    @Nullable SnapshotRecord captured() throws IOException, WireException {
        return read(capturedFile());
    }

    /** Null where it is not sealed. */
    @Nullable SnapshotRecord sealed() throws IOException, WireException {
        return read(sealedFile());
    }

    /** What there is of it, also while it is being sealed; null for nothing that is whole. */
    @Nullable SnapshotRecord present() throws IOException, WireException {
        SnapshotRecord captured = captured(); // this file goes when the other one has come
        SnapshotRecord sealed = sealed();
        return sealed == null ? captured : sealed;
    }

    private static @Nullable SnapshotRecord read(Path file) throws IOException, WireException {
        try {
            return SnapshotRecord.parse(Files.readString(file));
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
