package dev.sallyport.core.config;

import java.util.List;
import java.util.TreeSet;

/** Collects what is found while a configuration is read: each thing once, in the order of the places. */
final class Findings {

    private final TreeSet<ConfigProblem> problems = new TreeSet<>();
    private final TreeSet<ConfigProblem> warnings = new TreeSet<>();

    /** Pointers of what is wrong, or cannot be known because something near it is. */
    private final TreeSet<String> touched = new TreeSet<>();

    void problem(Location at, String pointer, String message, String expected) {
        problems.add(new ConfigProblem(at, pointer, message, expected));
        touched.add(pointer);
    }

    void warning(Location at, String pointer, String message, String expected) {
        warnings.add(new ConfigProblem(at, pointer, message, expected));
    }

    /** Notes that a problem that was told has probably left this unset: a misspelt key, say. */
    void touch(String pointer) {
        touched.add(pointer);
    }

    /** Whether something is wrong there or below. */
    boolean isTouched(String pointer) {
        String next = touched.ceiling(pointer + "/");
        return touched.contains(pointer) || (next != null && next.startsWith(pointer + "/"));
    }

    /** The pointers of what is wrong below. */
    List<String> touchedBelow(String pointer) {
        String below = pointer + "/";
        return touched.tailSet(below).stream()
                .takeWhile(wrong -> wrong.startsWith(below))
                .toList();
    }

    boolean hasProblems() {
        return !problems.isEmpty();
    }

    List<ConfigProblem> problems() {
        return List.copyOf(problems);
    }

    List<ConfigProblem> warnings() {
        return List.copyOf(warnings);
    }
}
