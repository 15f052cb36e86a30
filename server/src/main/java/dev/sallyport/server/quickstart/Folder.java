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
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

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

    /** What workloads must trust. */
    Path caCertificate() {
        return path.resolve("ca.crt");
    }

    /**
     * Makes what is missing. Blocks.
     *
     * @param shipped true: the configuration becomes the one of this build; false: one that is there stays, since a user
     *     may have changed it
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

    /** For this user alone: the CA's key is in it. */
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

    private static byte[] shippedConfig() throws IOException {
        try (InputStream in = Folder.class.getResourceAsStream("proxy.yaml")) {
            if (in == null) {
                throw new IOException("proxy.yaml is missing in this build");
            }
            return in.readAllBytes();
        }
    }
}
