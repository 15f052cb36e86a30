package dev.sallyport.core.config;

import java.util.List;
import java.util.TreeSet;

/** Collects the findings while a configuration is read: each one once, in the order of the places. */
final class Findings {

    private final TreeSet<ConfigProblem> problems = new TreeSet<>();
    private final TreeSet<ConfigProblem> warnings = new TreeSet<>();

    /** Pointers of faulty values, and of values that are unknown because of a fault near them. */
    private final TreeSet<String> touched = new TreeSet<>();

    void problem(Location at, String pointer, String message, String expected) {
        problems.add(new ConfigProblem(at, pointer, message, expected));
        touched.add(pointer);
    }

    void warning(Location at, String pointer, String message, String expected) {
        warnings.add(new ConfigProblem(at, pointer, message, expected));
    }

    /** Records that a reported problem, such as a misspelt key, has probably left this field unset. */
    void touch(String pointer) {
        touched.add(pointer);
    }

    /** Whether something is wrong there or below. */
    boolean isTouched(String pointer) {
        String next = touched.ceiling(pointer + "/");
        return touched.contains(pointer) || (next != null && next.startsWith(pointer + "/"));
    }

    /** The pointers of the faulty values below. */
    List<String> touchedBelow(String pointer) {
        if (touched.isEmpty()) {
            return List.of();
        }
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
