package dev.sallyport.control;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/** Texts that a regular expression matches: literals, classes, groups, alternatives and quantifiers. */
final class PatternTexts {

    private static final int MANY = 6;

    private final String pattern;
    private int at;

    private PatternTexts(String pattern) {
        this.pattern = pattern;
    }

    /** Writes what matches a part. */
    private interface Part {
        void write(StringBuilder out, Random random);
    }

    /** A text that the pattern matches. */
    static String text(String pattern, Random random) {
        PatternTexts parser = new PatternTexts(pattern);
        Part whole = parser.alternatives();
        if (parser.at != pattern.length()) {
            throw new IllegalArgumentException("at " + parser.at + " of " + pattern);
        }
        StringBuilder out = new StringBuilder();
        whole.write(out, random);
        return out.toString();
    }

    private boolean more() {
        return at < pattern.length();
    }

    private boolean take(String text) {
        boolean there = pattern.startsWith(text, at);
        at += there ? text.length() : 0;
        return there;
    }

    private Part alternatives() {
        List<Part> all = new ArrayList<>();
        do {
            all.add(sequence());
        } while (take("|"));
        return (out, random) -> all.get(random.nextInt(all.size())).write(out, random);
    }

    private Part sequence() {
        List<Part> parts = new ArrayList<>();
        while (more() && pattern.charAt(at) != '|' && pattern.charAt(at) != ')') {
            if (!take("^") && !take("$")) {
                parts.add(quantified(atom()));
            }
        }
        return (out, random) -> parts.forEach(part -> part.write(out, random));
    }

    private Part atom() {
        if (take("(?:") || take("(")) {
            Part inner = alternatives();
            at++;
            return inner;
        }
        BitSet any = pattern.charAt(at) == '[' ? characterClass() : single();
        int[] choices = any.stream().toArray();
        return (out, random) -> out.append((char) choices[random.nextInt(choices.length)]);
    }

    private BitSet single() {
        BitSet set = new BitSet();
        if (take(".")) {
            set.set(' ', 0x7F);
        } else {
            set.set(character());
        }
        return set;
    }

    private BitSet characterClass() {
        at++;
        boolean not = take("^");
        BitSet set = new BitSet();
        while (pattern.charAt(at) != ']') {
            char from = character();
            char to = from;
            if (pattern.charAt(at) == '-' && pattern.charAt(at + 1) != ']') {
                at++;
                to = character();
            }
            set.set(from, to + 1);
        }
        at++;
        if (not) {
            BitSet others = new BitSet();
            others.set(' ', 0x7F);
            others.set(0xE4);
            others.set(0x4E2D);
            others.andNot(set);
            return others;
        }
        return set;
    }

    private char character() {
        char c = pattern.charAt(at++);
        if (c != '\\') {
            return c;
        }
        char escaped = pattern.charAt(at++);
        if (escaped == 'x') {
            at += 2;
            return (char) Integer.parseInt(pattern.substring(at - 2, at), 16);
        }
        return escaped;
    }

    private Part quantified(Part part) {
        int least = 1;
        int most = 1;
        if (take("*")) {
            least = 0;
            most = MANY;
        } else if (take("+")) {
            most = MANY;
        } else if (take("?")) {
            least = 0;
        } else if (take("{")) {
            int end = pattern.indexOf('}', at);
            String[] bounds = pattern.substring(at, end).split(",", -1);
            least = Integer.parseInt(bounds[0]);
            most = bounds.length == 1 ? least : bounds[1].isEmpty() ? least + MANY : Integer.parseInt(bounds[1]);
            at = end + 1;
        }
        int from = least;
        int to = most;
        return (out, random) -> {
            int times = from + random.nextInt(to - from + 1);
            for (int i = 0; i < times; i++) {
                part.write(out, random);
            }
        };
    }
}
