package dev.sallyport.core.config;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the word that was probably intended. */
final class NearestKey {

    private static final int MAX_LISTED = 30;

    private NearestKey() {}

    /** The expected words in place of an unknown one: the nearest known word, otherwise all of them. */
    static String expected(String word, Collection<String> known) {
        String nearest = to(word, known);
        return nearest != null ? nearest + "?" : oneOf(known);
    }

    static String oneOf(Collection<String> known) {
        if (known.isEmpty()) {
            return "nothing: no key is known here";
        }
        String listed = known.stream().sorted().limit(MAX_LISTED).collect(Collectors.joining(", "));
        return (known.size() == 1 ? "" : "one of ") + listed + (known.size() > MAX_LISTED ? ", ..." : "");
    }

    /**
     * The known word with the smallest edit distance, if that is small for its length; among equals the first by name.
     */
    static @Nullable String to(String word, Collection<String> known) {
        if (word.length() > 100) {
            return null;
        }
        String folded = fold(word);
        String best = null;
        int bestDistance = Integer.MAX_VALUE;
        for (String candidate : known.stream().sorted().toList()) {
            int distance = distance(folded, fold(candidate));
            int limit = Math.max(1, Math.max(folded.length(), candidate.length()) / 3);
            if (distance <= limit && distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return best;
    }

    private static String fold(String word) {
        return word.toLowerCase(Locale.ROOT).replace('-', '_');
    }

    /** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
    static int distance(String a, String b) {
        int[] beforeLast = new int[b.length() + 1];
        int[] last = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                row[j] = Math.min(Math.min(row[j - 1], last[j]) + 1, last[j - 1] + change);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            beforeLast = last;
            last = row;
        }
        return last[b.length()];
    }
}
