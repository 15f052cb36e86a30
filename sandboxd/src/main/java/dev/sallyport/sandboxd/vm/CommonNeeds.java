package dev.sallyport.sandboxd.vm;

import dev.sallyport.linux.SystemCalls;
import dev.sallyport.linux.UnavailableException;
import dev.sallyport.sandbox.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** What drivers of all kinds need of their machine. */
public final class CommonNeeds {

    /** The name of the need of control groups. */
    public static final String CONTROL_GROUPS = "control groups";

    private static final List<String> FOLDERS =
            List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

    private CommonNeeds() {}

    /** Whether this process is root. */
    public static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** That this process is root. */
    public static Need root() {
        return isRoot()
                ? Need.met("root", "this process is root")
                : Need.missing("root", "this process is not root", "root, in the machine's own user namespace");
    }

    /**
     * That control groups are mounted, and limit what a VM takes.
     *
     * @param parent the group above those of VMs
     */
    public static Need controlGroups(Cgroups cgroups, String parent) throws IOException {
        String layout = cgroups.layout().name().toLowerCase(Locale.ROOT);
        if (cgroups.layout() == Cgroups.Layout.NONE) {
            return Need.missing(
                    CONTROL_GROUPS, "no control groups are mounted", "mount -t cgroup2 cgroup2 /sys/fs/cgroup");
        }
        Path obstacle = cgroups.obstacle(parent);
        if (obstacle != null) {
            return Need.missing(
                    CONTROL_GROUPS,
                    layout + ", but processes are in " + obstacle + ", so that nothing limits groups below it",
                    "all of these processes in a group of their own, such as " + obstacle.resolve("init")
                            + ", or another cgroup");
        }
        return cgroups.missing().isEmpty()
                ? Need.met(CONTROL_GROUPS, layout)
                : Need.missing(
                        CONTROL_GROUPS,
                        layout + ", in which nothing limits " + String.join(", ", cgroups.missing()),
                        "controllers cpu, memory and pids, in the version of control groups that is mounted");
    }

    /** That a program is there, which a package of Debian brings. */
    public static Need program(String program, String brings) {
        return isThere(program)
                ? Need.met(program, "it is there")
                : Need.missing(program, "there is no " + program, "Debian's package " + brings);
    }

    /** That this process can make system calls for which Java has no API. */
    public static Need systemCalls() {
        try {
            SystemCalls.open();
            return Need.met("system calls", "Java " + Runtime.version().feature() + " makes them");
        } catch (UnavailableException e) {
            return Need.missing(
                    "system calls",
                    String.valueOf(e.getMessage()),
                    "Java 22 or newer for sandboxd; JAVA_HOME names it");
        }
    }

    /** Whether a program is in the usual folders. */
    public static boolean isThere(String program) {
        return FOLDERS.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Where a program is that is {@link #isThere}, for those who find none by its name; else where it would be. */
    public static Path path(String program) {
        return FOLDERS.stream()
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(Path.of(FOLDERS.getLast(), program));
    }

    /**
     * Whether all needs are met.
     *
     * @param told the names of those that are told of a machine that has all of them, in this order
     */
    public static Availability availability(List<Need> needs, List<String> told) {
        List<String> problems =
                needs.stream().filter(need -> !need.met()).map(Need::problem).toList();
        return problems.isEmpty()
                ? new Availability.Available(told.stream()
                        .flatMap(name ->
                                needs.stream().filter(need -> need.name().equals(name)))
                        .map(need -> need.name() + ": " + need.found())
                        .toList())
                : new Availability.Unavailable(problems);
    }
}
