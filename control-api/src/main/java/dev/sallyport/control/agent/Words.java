package dev.sallyport.control.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Words as a shell separates them (POSIX, 2.2), and nothing else of a shell: blanks, quotes and backslashes; no variables,
 * no substitution, no patterns. Pure.
 */
final class Words {

    private final String text;
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean begun;
    private int at;

    private Words(String text) {
        this.text = text;
    }

    /** The words; empty when a quote or a backslash is left open. */
    static Optional<List<String>> of(String text) {
        Words words = new Words(text);
        return words.read() ? Optional.of(List.copyOf(words.words)) : Optional.empty();
    }

    private boolean read() {
        while (at < text.length()) {
            char c = text.charAt(at++);
            boolean complete = true;
            switch (c) {
                case ' ', '\t', '\n', '\r' -> end();
                case '\'' -> complete = literal();
                case '"' -> complete = quoted();
                case '\\' -> complete = escaped();
                default -> add(c);
            }
            if (!complete) {
                return false;
            }
        }
        end();
        return true;
    }

    private void add(char c) {
        begun = true;
        word.append(c);
    }

    private void end() {
        if (begun) {
            words.add(word.toString());
            word.setLength(0);
            begun = false;
        }
    }

    private boolean literal() {
        int close = text.indexOf('\'', at);
        if (close < 0) {
            return false;
        }
        begun = true;
        word.append(text, at, close);
        at = close + 1;
        return true;
    }

    private boolean quoted() {
        begun = true;
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return true;
            }
            if (c == '\\' && at < text.length() && "$`\"\\\n".indexOf(text.charAt(at)) >= 0) {
                c = text.charAt(at++);
                if (c == '\n') {
                    continue;
                }
            }
            word.append(c);
        }
        return false;
    }

    private boolean escaped() {
        if (at == text.length()) {
            return false;
        }
        char c = text.charAt(at++);
        if (c != '\n') {
            add(c);
        }
        return true;
    }
}
