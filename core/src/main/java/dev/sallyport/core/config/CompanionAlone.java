package dev.sallyport.core.config;

import java.util.List;

/** A configuration of which a companion runs without a proxy: its section alone is read, and those of metrics and log. */
public final class CompanionAlone {

    private static final List<String> BESIDE = List.of("metrics", "log");

    private CompanionAlone() {}

    /** Whether a file has the section, and no other than what is read with it. */
    public static boolean isMeant(ConfigResult read, String section) {
        return read.places().isGiven(Pointers.child("", section))
                && read.places().keys().stream().allMatch(key -> key.equals(section) || BESIDE.contains(key));
    }

    /** The problems and warnings of these that lie in what is read; all of them where nothing could be bound. */
    public static List<ConfigProblem> only(ConfigResult read, String section, List<ConfigProblem> found) {
        return found.stream()
                .filter(problem -> read.draft() == null || isRead(problem.pointer(), section))
                .toList();
    }

    private static boolean isRead(String pointer, String section) {
        return isIn(pointer, section) || BESIDE.stream().anyMatch(other -> isIn(pointer, other));
    }

    private static boolean isIn(String pointer, String section) {
        String of = Pointers.child("", section);
        return pointer.equals(of) || pointer.startsWith(of + "/");
    }
}
