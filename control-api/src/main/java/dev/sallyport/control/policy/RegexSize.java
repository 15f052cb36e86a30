package dev.sallyport.control.policy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;

/**
 * Estimates how many instructions a regular expression of RE2 compiles to: counted repetitions write out what they
 * repeat, and nested ones multiply. An expression that is malformed has some estimate, too. For one expression.
 */
final class RegexSize {

    private static final long HUGE = 1L << 40;
    private static final Pattern COUNTS = Pattern.compile("[0-9]{1,4}(,[0-9]{0,4})?");

    private final String text;
    private final Deque<Group> open = new ArrayDeque<>();
    private Group group = new Group();
    private int at;

    /** What was read of a group, and of its last item, which a repetition would repeat. */
    private static final class Group {
        private long before;
        private long last;

        void add(long size) {
            before += last;
            last = size;
        }

        long size() {
            return before + last;
        }
    }

    private RegexSize(String text) {
        this.text = text;
    }

    /** The estimate for a text of any form. */
    static long of(String text) {
        return new RegexSize(text).read();
    }

    private long read() {
        while (at < text.length()) {
            char c = text.charAt(at++);
            switch (c) {
                case '(' -> {
                    open.push(group);
                    group = new Group();
                }
                case ')' -> leave();
                case '[' -> {
                    skipClass();
                    group.add(1);
                }
                case '\\' -> escape();
                case '*', '+', '?' -> group.last++;
                case '{' -> repeat();
                default -> group.add(1);
            }
        }
        while (!open.isEmpty()) {
            leave();
        }
        return Math.min(HUGE, group.size());
    }

    /** A group has an instruction at its beginning and one at its end. */
    private void leave() {
        long size = group.size() + 2;
        group = open.isEmpty() ? new Group() : open.pop();
        group.add(size);
    }

    /** Past the bracket that ends a class: the first one in it is an ordinary character. */
    private void skipClass() {
        if (at < text.length() && text.charAt(at) == '^') {
            at++;
        }
        if (at < text.length() && text.charAt(at) == ']') {
            at++;
        }
        while (at < text.length() && text.charAt(at) != ']') {
            if (text.startsWith("[:", at) && text.indexOf(":]", at + 2) > 0) {
                at = text.indexOf(":]", at + 2) + 2;
            } else {
                at += text.charAt(at) == '\\' ? 2 : 1;
            }
        }
        at++;
    }

    /** Past the character of an escape, and what belongs to it: {@code \pN}, {@code \p{Greek}}, {@code \x{10FFFF}}. */
    private void escape() {
        char c = at < text.length() ? text.charAt(at) : 0;
        at++;
        if (c == 'Q') {
            quotation();
            return;
        }
        if ((c == 'p' || c == 'P' || c == 'x') && at < text.length() && text.charAt(at) == '{') {
            int end = text.indexOf('}', at);
            at = end < 0 ? text.length() : end + 1;
        }
        group.add(1);
    }

    /** {@code \Q...\E}: ordinary characters, of which a repetition would repeat the last. */
    private void quotation() {
        int end = text.indexOf("\\E", at);
        int length = (end < 0 ? text.length() : end) - at;
        for (int i = 0; i < length; i++) {
            group.add(1);
        }
        at = end < 0 ? text.length() : end + 2;
    }

    /** {@code n}, {@code n,} or {@code n,m} in braces; anything else is text. */
    private void repeat() {
        int end = text.indexOf('}', at);
        String counts = end < 0 || end - at > 9 ? "" : text.substring(at, end);
        if (!COUNTS.matcher(counts).matches()) {
            group.add(1);
            return;
        }
        at = end + 1;
        int comma = counts.indexOf(',');
        String most = comma < 0 ? counts : counts.substring(comma + 1);
        int copies = most.isEmpty() ? Integer.parseInt(counts.substring(0, comma)) + 1 : Integer.parseInt(most);
        // Each optional copy has an instruction of its own.
        group.last = Math.min(HUGE, (group.last + (comma < 0 ? 0 : 1)) * Math.max(copies, 1));
    }
}
