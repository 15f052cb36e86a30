package dev.sallyport.server.run;

import dev.sallyport.server.cli.Sallyport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;

/** The packaged server where every user can reach it, also if the checkout is in a folder that is its owner's alone. */
final class OpenDistribution {

    private static final Path PATH = open(Sallyport.distribution());

    private OpenDistribution() {}

    static Path path() {
        return PATH;
    }

    private static Path open(Path distribution) {
        try {
            return isOpen(distribution) ? distribution : copy(distribution);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOpen(Path folder) throws IOException {
        for (Path at = folder.toRealPath(); at != null; at = at.getParent()) {
            if (!Files.getPosixFilePermissions(at).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                return false;
            }
        }
        return true;
    }

    private static Path copy(Path distribution) throws IOException {
        Path copy = Files.createTempDirectory("sallyport-open");
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (Stream<Path> files = Files.walk(distribution)) {
            for (Path file : files.filter(one -> !one.equals(distribution)).toList()) {
                // With their times, by which the JVM knows the jars of its archive.
                Files.copy(
                        file,
                        copy.resolve(distribution.relativize(file).toString()),
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(copy)));
        return copy;
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted((one, other) -> other.compareTo(one))
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
