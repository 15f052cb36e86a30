package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.GuestSetup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a guest has that its image does not: its names, keys and variables, as files. Paths begin at its root. */
public final class GuestFiles {

    private static final List<String> SSHD =
            List.of("/usr/sbin/sshd", "-f", "/etc/ssh/sallyport_sshd_config", "-D", "-e");
    private static final List<String> NO_PENALTIES = List.of("-o", "PerSourcePenalties=no");

    /** What is in the program of an sshd that knows the option above. */
    public static final String PENALTIES_WORD = "persourcepenalties";

    /**
     * What is known of a guest's sshd. One of OpenSSH 9.8 or later answers an address from which attempts have failed no more
     * for a while, and all of a guest's clients have one address, the gate's; an earlier one does not know the option against
     * that, and ends where it is given.
     */
    public enum Penalties {
        KNOWS_THEM,
        KNOWS_NONE,
        UNCERTAIN
    }

    /** The folders that they are in, parents first. */
    public static final List<GuestFolder> FOLDERS = List.of(
            new GuestFolder("etc", "rwxr-xr-x"),
            new GuestFolder("etc/ssh", "rwxr-xr-x"),
            new GuestFolder("etc/profile.d", "rwxr-xr-x"),
            new GuestFolder("root", "rwx------"),
            new GuestFolder("root/.ssh", "rwx------"));

    private static final String PROFILE = "etc/profile.d/sallyport.sh";

    /**
     * Where they are, and where another script of the profile is before it takes its place. What a guest has made of them is
     * not another one's.
     */
    public static final List<String> PATHS = List.of(
            "etc/hostname",
            "etc/hosts",
            "etc/resolv.conf",
            "etc/machine-id",
            PROFILE,
            "etc/profile.d/.sallyport.sh.new",
            "etc/ssh/sallyport_sshd_config",
            "etc/ssh/sallyport_host_ed25519_key",
            "root/.ssh/authorized_keys");

    private static final String TRUST = "[ ! -r %1$s ] || . %1$s\n".formatted(GuestTrust.FOLDER + "/variables.sh");
    private static final String HOST_KEY = "/etc/ssh/sallyport_host_ed25519_key";

    /**
     * A folder.
     *
     * @param mode as {@link java.nio.file.attribute.PosixFilePermissions} has it
     */
    public record GuestFolder(String path, String mode) {}

    /**
     * A file.
     *
     * @param mode as {@link java.nio.file.attribute.PosixFilePermissions} has it
     */
    public record GuestFile(String path, String mode, String text) {}

    private GuestFiles() {}

    /** The words that a guest executes to be its sshd; where it is uncertain what that knows, they are those of a shell. */
    public static List<String> sshd(Penalties penalties) {
        List<String> words = new ArrayList<>(SSHD);
        switch (penalties) {
            case KNOWS_THEM -> words.addAll(NO_PENALTIES);
            case KNOWS_NONE -> {}
            case UNCERTAIN ->
                words.add("$(grep -q %s %s && echo %s)"
                        .formatted(PENALTIES_WORD, SSHD.getFirst(), String.join(" ", NO_PENALTIES)));
        }
        return words;
    }

    /**
     * Those of a guest.
     *
     * @param gate the address that answers DNS
     */
    public static List<GuestFile> of(GuestSetup guest, HostKeyPair key, String gate) {
        return List.of(
                new GuestFile("etc/hostname", "rw-r--r--", guest.hostname() + "\n"),
                new GuestFile("etc/hosts", "rw-r--r--", "127.0.0.1 localhost " + guest.hostname() + "\n"),
                new GuestFile("etc/resolv.conf", "rw-r--r--", "nameserver " + gate + "\n"),
                new GuestFile("etc/machine-id", "r--r--r--", key.machineId() + "\n"),
                profile(guest.environment()),
                new GuestFile("etc/ssh/sallyport_sshd_config", "rw-r--r--", sshdConfig()),
                new GuestFile("etc/ssh/sallyport_host_ed25519_key", "rw-------", key.privateKey()),
                new GuestFile("root/.ssh/authorized_keys", "rw-------", guest.authorizedKey() + "\n"));
    }

    private static String sshdConfig() {
        return """
                Port 22
                AddressFamily inet
                HostKey %s
                PidFile /run/sshd.pid
                AuthorizedKeysFile .ssh/authorized_keys
                PermitRootLogin prohibit-password
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                UsePAM no
                UseDNS no
                MaxStartups 100
                X11Forwarding no
                PrintMotd no
                AcceptEnv LANG LC_*
                Subsystem sftp internal-sftp
                """.formatted(HOST_KEY);
    }

    /** The script that sets variables in login shells. */
    public static GuestFile profile(Map<String, String> environment) {
        StringBuilder script = new StringBuilder("# Variables of this sandbox.\n" + TRUST);
        new TreeMap<>(environment)
                .forEach((name, value) -> script.append("export ")
                        .append(name)
                        .append('=')
                        .append(quoted(value))
                        .append('\n'));
        return new GuestFile(PROFILE, "rw-r--r--", script.toString());
    }

    /** A word of the shell that stands for this text: in single quotes, in which a single quote is written {@code '\''}. */
    public static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
