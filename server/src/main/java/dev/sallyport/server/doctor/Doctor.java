package dev.sallyport.server.doctor;

import dev.sallyport.core.MachineCheck.Need;
import dev.sallyport.server.run.NamespaceCheck;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds out what works on this machine, by trying it, and what would make the rest work. Blocks. */
public final class Doctor {

    private static final int FOREIGN_FUNCTIONS = 22;
    private static final List<String> TOOLS = List.of("unshare", "setpriv", "mount");
    private static final Path APPARMOR = Path.of("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    private static final Path USER_NAMESPACES = Path.of("/proc/sys/user/max_user_namespaces");

    private final String path;
    private final String launcherSays;

    /**
     * For one machine.
     *
     * @param path the variable {@code PATH}
     * @param launcherSays why the launcher could make no user namespace; empty when it could, or did not have to
     */
    public Doctor(String path, String launcherSays) {
        this.path = path;
        this.launcherSays = launcherSays.replace('\n', ' ').strip();
    }

    /**
     * What {@code sallyport run} needs.
     *
     * @param namespaces whether {@code --isolate netns} is asked for
     */
    public List<Need> examine(boolean namespaces) {
        List<Need> needs = new ArrayList<>();
        needs.add(met("run --isolate env", "works everywhere; a program that ignores variables gets past it"));
        if (namespaces) {
            String obstacle = NamespaceCheck.obstacle();
            needs.add(
                    obstacle.isEmpty()
                            ? met("run --isolate netns", "tried")
                            : new Need("run --isolate netns", true, false, obstacle, remedies()));
        }
        return List.copyOf(needs);
    }

    private static Need met(String name, String found) {
        return new Need(name, true, true, found, "");
    }

    private String remedies() {
        List<String> lines = new ArrayList<>();
        if (!launcherSays.isEmpty()) {
            lines.add("a user namespace: " + launcherSays);
        }
        int java = Runtime.version().feature();
        if (java < FOREIGN_FUNCTIONS) {
            lines.add("install Java " + FOREIGN_FUNCTIONS + " or newer; this is " + java);
        }
        for (String tool : TOOLS) {
            if (!has(tool)) {
                lines.add("install " + tool + ", a part of util-linux");
            }
        }
        if (is(USER_NAMESPACES, "0")) {
            lines.add("allow user namespaces: sysctl -w user.max_user_namespaces=10000");
        }
        if (is(APPARMOR, "1")) {
            lines.add("AppArmor keeps users from having rights in their own namespaces; as root, write this to");
            lines.add("/etc/apparmor.d/sallyport-unshare and run apparmor_parser -r on it:");
            appArmorProfile().lines().forEach(line -> lines.add("  " + line));
        }
        return String.join("\n", lines);
    }

    /** What Ubuntu 24.04 and newer want before {@code unshare} may give a user rights in a namespace. */
    static String appArmorProfile() {
        return """
                abi <abi/4.0>,
                include <tunables/global>
                profile sallyport-unshare /usr/bin/unshare flags=(unconfined) {
                  userns,
                }
                """;
    }

    private boolean has(String tool) {
        for (String folder : path.split(File.pathSeparator, -1)) {
            if (!folder.isEmpty() && Files.isExecutable(Path.of(folder).resolve(tool))) {
                return true;
            }
        }
        return false;
    }

    private static boolean is(Path setting, String value) {
        try {
            return Files.readString(setting).strip().equals(value);
        } catch (IOException e) {
            return false; // this kernel has no such setting
        }
    }
}
