package dev.sallyport.core.config;

import java.util.List;
import java.util.TreeSet;

/** Collects what is found while a configuration is read: each thing once, in the order of the places. */
final class Findings {

    private final TreeSet<ConfigProblem> problems = new TreeSet<>();
    private final TreeSet<ConfigProblem> warnings = new TreeSet<>();

    void problem(Location at, String pointer, String message, String expected) {
        problems.add(new ConfigProblem(at, pointer, message, expected));
    }

    void warning(Location at, String pointer, String message, String expected) {
        warnings.add(new ConfigProblem(at, pointer, message, expected));
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
