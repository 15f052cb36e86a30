package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.VmException;
import dev.sallyport.sandbox.VmException.Reason;
import dev.sallyport.sandboxd.system.PrivateFiles;
import dev.sallyport.sandboxd.vm.GuestFiles.GuestFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What lets programs of guests trust the gate: its authority, the script that adds it to a guest's trust stores before the
 * sshd starts, and the one by which login shells name it to tools that have roots of their own. All guests have the same, as it
 * is at their start. Thread-safe.
 */
public final class GuestTrust {

    /** Where guests see it. */
    public static final String FOLDER = "/run/sallyport-trust";

    /** What a guest runs before its sshd; that it fails keeps nobody out. */
    public static final String SETUP = FOLDER + "/setup.sh";

    private static final int LARGEST = 256 << 10;
    private static final String READABLE = "rw-r--r--";
    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\\s]+)-----END CERTIFICATE-----");

    private final @Nullable Path authority;
    private final Path folder;
    private String known = "";

    /**
     * Of a machine.
     *
     * @param authority the file with the certificate authority of the gate, PEM; null where guests need none
     * @param folder where it is for those guests that see files of this machine
     */
    public GuestTrust(@Nullable Path authority, Path folder) {
        this.authority = authority;
        this.folder = folder;
    }

    /** Whether there is anything that guests have to trust. */
    public boolean isWanted() {
        return authority != null;
    }

    /** The folder of this machine that has the files, readable for everybody, after {@link #renew}. */
    public Path folder() {
        return folder;
    }

    /** Reads the authority, and has the folder up to date; what is in there changes for guests that run as well. */
    public synchronized void renew() throws VmException {
        if (authority == null) {
            return;
        }
        try {
            String pem = read(authority);
            if (pem.equals(known)) {
                return;
            }
            known = pem;
            Files.createDirectories(folder);
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            for (GuestFile file : files()) {
                publish(folder.resolve(file.path()), file);
            }
        } catch (IOException e) {
            known = "";
            throw new VmException(Reason.UNAVAILABLE, "ca_cert: " + e.getMessage(), e);
        }
    }

    /** The files, as {@link #renew} found them last; paths begin at {@link #FOLDER}. */
    public synchronized List<GuestFile> files() {
        return List.of(
                new GuestFile("ca.pem", READABLE, known),
                new GuestFile("setup.sh", READABLE, Scripts.named("trust.sh")),
                new GuestFile("variables.sh", READABLE, Scripts.named("trust-variables.sh")));
    }

    private static void publish(Path place, GuestFile file) throws IOException {
        Path fresh = place.resolveSibling("." + place.getFileName());
        Files.deleteIfExists(fresh);
        PrivateFiles.create(fresh);
        Files.writeString(fresh, file.text());
        Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString(file.mode()));
        Files.move(fresh, place, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * The certificates of a file, written anew: guests see nothing else of it, whatever the file is that somebody else than
     * this process's user may have put there.
     */
    private static String read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + " is no file (expected: the gate's certificate authority, PEM)");
        }
        byte[] bytes;
        try (InputStream stream = Files.newInputStream(file)) {
            bytes = stream.readNBytes(LARGEST);
        }
        StringBuilder pem = new StringBuilder();
        Matcher block = CERTIFICATE.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        try {
            while (block.find()) {
                byte[] der = Base64.getMimeDecoder().decode(block.group(1));
                Certificate certificate =
                        CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
                pem.append("-----BEGIN CERTIFICATE-----\n")
                        .append(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(certificate.getEncoded()))
                        .append("\n-----END CERTIFICATE-----\n");
            }
        } catch (CertificateException | IllegalArgumentException e) {
            throw new IOException(file + " has a certificate that is damaged", e);
        }
        if (pem.isEmpty()) {
            throw new IOException(file + " has no certificate (expected: the gate's certificate authority, PEM)");
        }
        return pem.toString();
    }
}
