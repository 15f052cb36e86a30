package dev.sallyport.server.learn;

import dev.sallyport.toolkit.match.PathPattern;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which patterns are needed, and for which methods, so that each request of a host and port is matched by one. Where
 * several would do, the wider ones go. Not thread-safe.
 */
final class NeededPatterns {

    /** Wide ones first: those that are open, and of them the shorter ones. */
    private static final Comparator<Pair> WIDE_FIRST = Comparator.comparing((Pair pair) -> !pair.path.open())
            .thenComparingInt(pair -> pair.path.segments().size())
            .thenComparing(pair -> pair.path)
            .thenComparing(pair -> pair.method);

    private final SortedMap<LearnedPath, SortedMap<String, Pair>> pairs = new TreeMap<>();
    private final Map<LearnedPath, PathPattern> compiled = new HashMap<>();
    private final List<Reading> readings = new ArrayList<>();
    private final Map<String, LearnedPath> literals = new HashMap<>();

    /** A pattern for one method, and the readings that it matches. */
    private static final class Pair {

        private final LearnedPath path;
        private final String method;
        private final List<Reading> matched = new ArrayList<>();

        Pair(LearnedPath path, String method) {
            this.path = path;
            this.method = method;
        }

        boolean needed() {
            return matched.stream().anyMatch(reading -> reading.matches < 2);
        }
    }

    /** A path of a request in one way of reading it, and how many patterns match it. */
    private static final class Reading {

        private final String method;
        private final String path;
        private int matches;

        Reading(String method, String path) {
            this.method = method;
            this.path = path;
        }
    }

    /** Adds a request in one way of reading it, and the pattern that was made of it. */
    void add(String method, String path, LearnedPath pattern) {
        pairs.computeIfAbsent(pattern, key -> new TreeMap<>())
                .computeIfAbsent(method, key -> new Pair(pattern, method));
        if (!isWild(pattern)) {
            literals.put(pattern.pattern(), pattern);
        }
        readings.add(new Reading(method, path));
    }

    /**
     * The patterns that are needed, each with its methods.
     *
     * @param others what matches requests to this port too, and stands in any case
     */
    SortedMap<LearnedPath, SortedSet<String>> find(SortedMap<LearnedPath, SortedSet<String>> others) {
        List<LearnedPath> wild =
                pairs.keySet().stream().filter(NeededPatterns::isWild).toList();
        for (Reading reading : readings) {
            reading.matches += (int) others.entrySet().stream()
                    .filter(other -> other.getValue().contains(reading.method) && matches(other.getKey(), reading))
                    .count();
            wild.stream().filter(path -> matches(path, reading)).forEach(path -> note(path, reading));
            LearnedPath literal = literals.get(reading.path);
            if (literal != null) {
                note(literal, reading);
            }
        }
        List<Pair> all = new ArrayList<>();
        pairs.values().forEach(byMethod -> all.addAll(byMethod.values()));
        all.sort(WIDE_FIRST);
        SortedMap<LearnedPath, SortedSet<String>> needed = new TreeMap<>();
        for (Pair pair : all) {
            if (pair.needed()) {
                needed.computeIfAbsent(pair.path, key -> new TreeSet<>()).add(pair.method);
            } else {
                pair.matched.forEach(reading -> reading.matches--);
            }
        }
        return needed;
    }

    private void note(LearnedPath path, Reading reading) {
        Pair pair = pairs.getOrDefault(path, Collections.emptySortedMap()).get(reading.method);
        if (pair != null) {
            pair.matched.add(reading);
            reading.matches++;
        }
    }

    private boolean matches(LearnedPath path, Reading reading) {
        return compiled.computeIfAbsent(path, key -> PathPattern.parse(key.pattern()))
                .matches(reading.path);
    }

    private static boolean isWild(LearnedPath path) {
        return path.pattern().indexOf('*') >= 0;
    }
}
