package dev.sallyport.toolkit.headers;

import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.InvalidPatternException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A list of header patterns. Names are found by hash; the results of the regular expressions are cached for a bounded
 * number of names, so that looking up a known name allocates nothing. Thread-safe.
 */
public final class HeaderPatterns {

    private static final int REMEMBERED = 256;
    private static final int LONGEST_REMEMBERED = 128;

    private final List<HeaderPattern> patterns;
    private final @Nullable String[] names;
    private final List<HeaderPattern> regexes;
    private final AtomicReferenceArray<@Nullable Answer> answers;

    private record Answer(String name, boolean matches) {}

    private HeaderPatterns(List<HeaderPattern> patterns) {
        this.patterns = List.copyOf(patterns);
        this.regexes = patterns.stream().filter(p -> !p.literal()).toList();
        this.names = new @Nullable String[Integer.highestOneBit(Math.max(1, patterns.size()) * 2 - 1) * 2];
        this.answers = new AtomicReferenceArray<>(regexes.isEmpty() ? 0 : REMEMBERED);
        for (HeaderPattern pattern : patterns) {
            if (pattern.literal()) {
                int slot = HeaderNames.hash(pattern.text()) & names.length - 1;
                while (names[slot] != null) {
                    slot = slot + 1 & names.length - 1;
                }
                names[slot] = pattern.text();
            }
        }
    }

    /** A list of parsed patterns. */
    public static HeaderPatterns of(List<HeaderPattern> patterns) {
        return new HeaderPatterns(patterns);
    }

    /**
     * Parses entries and reports all problems.
     *
     * @param pointer the list's place, such as {@code /headers}; problems are reported below it
     * @return the well-formed ones; not to be used when a problem was reported
     */
    public static HeaderPatterns parse(List<String> entries, Problems problems, String pointer) {
        List<HeaderPattern> patterns = new ArrayList<>(entries.size());
        for (int i = 0; i < entries.size(); i++) {
            try {
                patterns.add(HeaderPattern.parse(entries.get(i)));
            } catch (InvalidPatternException e) {
                e.addTo(problems, pointer + "/" + i);
            }
        }
        return of(patterns);
    }

    /** Whether some pattern matches a name, in whatever casing it came. An empty list matches nothing. */
    public boolean matches(String name) {
        int hash = HeaderNames.hash(name);
        return matchesLiteral(name, hash) || (!regexes.isEmpty() && matchesRegex(name, hash));
    }

    /** Whether there are no patterns. */
    public boolean isEmpty() {
        return patterns.isEmpty();
    }

    /** The patterns in the order of the configuration. */
    public List<HeaderPattern> patterns() {
        return patterns;
    }

    private boolean matchesLiteral(String name, int hash) {
        int slot = hash & names.length - 1;
        for (String known = names[slot]; known != null; known = names[slot]) {
            if (HeaderNames.equal(known, name)) {
                return true;
            }
            slot = slot + 1 & names.length - 1;
        }
        return false;
    }

    private boolean matchesRegex(String name, int hash) {
        int slot = hash & REMEMBERED - 1;
        Answer answer = answers.get(slot);
        if (answer != null && HeaderNames.equal(answer.name(), name)) {
            return answer.matches();
        }
        boolean matches = false;
        for (HeaderPattern regex : regexes) {
            matches |= regex.matches(name);
        }
        if (name.length() <= LONGEST_REMEMBERED) {
            answers.set(slot, new Answer(name, matches));
        }
        return matches;
    }
}
