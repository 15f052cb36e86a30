package dev.sallyport.server.quickstart;

import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.config.SchemaGenerator;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.server.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;

/** The files of the quickstart. */
final class Folder {

    private static final Duration CA_LIFE = Duration.ofDays(3650);

    private final Path path;

    Folder(Path path) {
        this.path = path.toAbsolutePath().normalize();
    }

    Path path() {
        return path;
    }

    Path config() {
        return path.resolve("proxy.yaml");
    }

    /** The certificate that workloads must trust. */
    Path caCertificate() {
        return path.resolve("ca.crt");
    }

    /**
     * Makes the missing files. Blocks.
     *
     * @param shipped true to overwrite the configuration with this build's; false to keep an existing one, which the
     *     user may have changed
     */
    void fill(PluginCatalog catalog, String demoApiCa, boolean shipped) throws Failure {
        try {
            makeFolder();
            if (Files.notExists(caCertificate()) || Files.notExists(path.resolve("ca.key"))) {
                CertificateAuthority.generate("Sallyport quickstart CA", CA_LIFE)
                        .write(caCertificate(), path.resolve("ca.key"));
            }
            if (shipped || Files.notExists(config())) {
                Files.write(config(), shippedConfig());
            }
            Path schema = path.resolve("sallyport.schema.json");
            if (shipped || Files.notExists(schema)) {
                Files.writeString(schema, SchemaGenerator.generate(catalog));
            }
            Files.writeString(path.resolve("upstream-ca.crt"), demoApiCa, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new Failure(path + ": cannot be written (expected: a folder that this user may write to)");
        }
    }

    /** Only this user may read it: it holds the CA's key. */
    private void makeFolder() throws IOException {
        Path parent = path.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        if (Files.notExists(path)) {
            Files.createDirectory(path);
            if (Files.getFileStore(path).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
            }
        }
    }

    /** A new folder for a control plane's state, which only this user may read. */
    Path temporaryState() throws IOException {
        return Files.createTempDirectory(path, "control-");
    }

    /** Removes what {@link #temporaryState} has made. */
    static void remove(Path temporary) throws IOException {
        try (Stream<Path> files = Files.walk(temporary)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Writes a file that only this user may read. */
    static void writePrivate(Path file, String text) throws IOException {
        Path fresh = Files.createTempFile(file.toAbsolutePath().getParent(), file.getFileName() + ".", ".new");
        Files.writeString(fresh, text);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static byte[] shippedConfig() throws IOException {
        try (InputStream in = Folder.class.getResourceAsStream("proxy.yaml")) {
            if (in == null) {
                throw new IOException("proxy.yaml is missing in this build");
            }
            return in.readAllBytes();
        }
    }
}
