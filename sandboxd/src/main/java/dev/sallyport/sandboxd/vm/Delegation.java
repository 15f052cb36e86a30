package dev.sallyport.sandboxd.vm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Version 2 of control groups, where groups below another one limit what that passes on. All but the root of all groups
 * either pass something on or have processes.
 *
 * @param groups from the root of the hierarchy down to the parent of the groups of VMs
 * @param controllers what is to be passed on
 */
record Delegation(List<Path> groups, List<String> controllers) {

    private static final String PRESENT = "cgroup.controllers";
    private static final String PASSED = "cgroup.subtree_control";

    /** Every group has it but the root of all, which may also be out of sight. */
    private static final String NOT_THE_ROOT = "cgroup.type";

    static Delegation to(Path hierarchy, String parent, List<String> controllers) {
        List<Path> groups = new ArrayList<>(List.of(hierarchy));
        for (Path name : Path.of(parent.substring(1))) {
            groups.add(groups.getLast().resolve(name));
        }
        return new Delegation(List.copyOf(groups), controllers);
    }

    static boolean isIn(Path group) {
        return Files.exists(present(group));
    }

    /** The file that tells which controllers a group has. */
    static Path present(Path group) {
        return group.resolve(PRESENT);
    }

    /** Lets all of them pass on what they have; nothing in a hierarchy of version 1. */
    void passOn() throws IOException {
        for (Path group : groups) {
            if (isIn(group)) {
                List<String> passed = words(group, PASSED);
                for (String wanted : words(group, PRESENT)) {
                    if (controllers.contains(wanted) && !passed.contains(wanted)) {
                        Files.writeString(group.resolve(PASSED), "+" + wanted);
                    }
                }
            }
        }
    }

    /** The first that cannot pass all of it on, because it has processes; null for none. */
    @Nullable Path obstacle() throws IOException {
        for (Path group : groups) {
            if (Files.exists(group.resolve(NOT_THE_ROOT))
                    && !words(group, PASSED).containsAll(controllers)
                    && !Files.readAllLines(group.resolve("cgroup.procs")).isEmpty()) {
                return group;
            }
        }
        return null;
    }

    private static List<String> words(Path group, String file) throws IOException {
        return List.of(Files.readString(group.resolve(file)).strip().split(" ", -1));
    }
}
