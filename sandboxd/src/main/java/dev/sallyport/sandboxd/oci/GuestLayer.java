package dev.sallyport.sandboxd.oci;

import dev.sallyport.sandbox.GuestSetup;
import dev.sallyport.sandboxd.image.IdRange;
import dev.sallyport.sandboxd.system.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a guest has that its image does not: its names, keys and variables, as a layer between the image and what the guest
 * writes. The guest changes copies of these files alone, so that nothing is ever written along a path of the guest's. What
 * the guest has written has its keys where the guest has touched them: overlayfs then copies the whole file.
 */
final class GuestLayer {

    /** The configuration of the guest's sshd, as the guest sees it. */
    static final String SSHD_CONFIG = "/etc/ssh/sallyport_sshd_config";

    /** Its files. What a guest has made of them is not another one's. */
    static final List<String> FILES = List.of(
            "etc/hostname",
            "etc/hosts",
            "etc/resolv.conf",
            "etc/machine-id",
            "etc/profile.d/sallyport.sh",
            "etc/ssh/sallyport_sshd_config",
            "etc/ssh/sallyport_host_ed25519_key",
            "root/.ssh/authorized_keys");

    private static final String HOST_KEY = "/etc/ssh/sallyport_host_ed25519_key";

    private final Path root;
    private final IdRange ids;

    GuestLayer(Path root, IdRange ids) {
        this.root = root;
        this.ids = ids;
    }

    /**
     * Writes it into a folder that is not there yet.
     *
     * @param gate the address that answers DNS
     */
    void write(GuestSetup guest, HostKeyPair key, String gate) throws IOException {
        folder("", "rwxr-xr-x");
        folder("etc", "rwxr-xr-x");
        folder("etc/ssh", "rwxr-xr-x");
        folder("etc/profile.d", "rwxr-xr-x");
        folder("root", "rwx------");
        folder("root/.ssh", "rwx------");
        file("etc/hostname", "rw-r--r--", guest.hostname() + "\n");
        file("etc/hosts", "rw-r--r--", "127.0.0.1 localhost " + guest.hostname() + "\n");
        file("etc/resolv.conf", "rw-r--r--", "nameserver " + gate + "\n");
        file("etc/machine-id", "r--r--r--", machineId() + "\n");
        file("etc/profile.d/sallyport.sh", "rw-r--r--", profile(guest.environment()));
        file("etc/ssh/sallyport_sshd_config", "rw-r--r--", sshdConfig());
        file("etc/ssh/sallyport_host_ed25519_key", "rw-------", key.privateKey());
        file("root/.ssh/authorized_keys", "rw-------", guest.authorizedKey() + "\n");
    }

    private static String machineId() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static String sshdConfig() {
        return """
                Port 22
                AddressFamily inet
                HostKey %s
                AuthorizedKeysFile .ssh/authorized_keys
                PermitRootLogin prohibit-password
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                UsePAM no
                UseDNS no
                X11Forwarding no
                PrintMotd no
                AcceptEnv LANG LC_*
                Subsystem sftp internal-sftp
                """.formatted(HOST_KEY);
    }

    /** A script of the shell; a value in single quotes, in which a single quote is written {@code '\''}. */
    static String profile(Map<String, String> environment) {
        StringBuilder script = new StringBuilder("# Variables of this sandbox.\n");
        new TreeMap<>(environment)
                .forEach((name, value) -> script.append("export ")
                        .append(name)
                        .append("='")
                        .append(value.replace("'", "'\\''"))
                        .append("'\n"));
        return script.toString();
    }

    private void folder(String path, String mode) throws IOException {
        Path folder = root.resolve(path);
        Files.createDirectory(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        own(folder, mode);
    }

    private void file(String path, String mode, String text) throws IOException {
        Path file = root.resolve(path);
        PrivateFiles.create(file);
        own(Files.writeString(file, text), mode);
    }

    private void own(Path path, String mode) throws IOException {
        Files.setAttribute(path, "unix:uid", ids.base());
        Files.setAttribute(path, "unix:gid", ids.base());
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }
}
