package dev.sallyport.control.model;

import java.util.Set;

/** Variables that mean something to the shells of guests, which set what they are given with {@code export}. */
public final class ShellVariables {

    private static final Set<String> READ_ONLY =
            Set.of("BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID");

    /** What programs are found by, and what shells run or read first. */
    private static final Set<String> NEEDED = Set.of("BASH_ENV", "ENV", "HOME", "IFS", "PATH", "SHELL");

    /** Those that the dynamic linker reads. */
    private static final String LINKER = "LD_";

    private ShellVariables() {}

    /** Reports a name that a shell lets nobody set: the script that does so may end there. */
    public static void checkSettable(String field, String name, FieldProblems problems) {
        if (READ_ONLY.contains(name)) {
            problems.addUnlessTouched(field, "read-only in shells (expected: another name)");
        }
    }

    /** Reports a name that a shell lets nobody set, or with which no program runs when a placeholder is its value. */
    public static void checkReplaceable(String field, String name, FieldProblems problems) {
        checkSettable(field, name, problems);
        if (NEEDED.contains(name) || name.startsWith(LINKER)) {
            problems.addUnlessTouched(field, "a variable that shells and programs need (expected: another name)");
        }
    }
}
