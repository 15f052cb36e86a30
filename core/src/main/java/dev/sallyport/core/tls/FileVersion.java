package dev.sallyport.core.tls;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Identifies the content of a file without reading it. Equal versions mean equal content, if both are {@link #settled}.
 *
 * @param key the device and the inode; null where the file system has none
 * @param changed when content or attributes changed last; where the file system does not say, when the content did
 */
record FileVersion(Path file, @Nullable Object key, long size, FileTime modified, FileTime changed) {

    /** File systems count time in ticks: within one, a second change leaves no trace. The coarsest tick is 2 s (FAT). */
    private static final Duration TICK = Duration.ofSeconds(2);

    private static final boolean UNIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("unix");

    /** The present version, links followed; null when the file cannot be looked at. Blocks. */
    static @Nullable FileVersion of(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            FileTime modified = attributes.lastModifiedTime();
            FileTime changed =
                    UNIX && Files.getAttribute(file, "unix:ctime") instanceof FileTime time ? time : modified;
            return new FileVersion(file, attributes.fileKey(), attributes.size(), modified, changed);
        } catch (IOException e) {
            return null; // whoever reads the file finds out why
        }
    }

    /** Whether a change after this instant would have shown in the version. */
    boolean settled(Instant at) {
        Instant last = modified.compareTo(changed) > 0 ? modified.toInstant() : changed.toInstant();
        return last.plus(TICK).isBefore(at);
    }
}
