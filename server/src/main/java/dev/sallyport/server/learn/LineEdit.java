package dev.sallyport.server.learn;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Replaces lines.
 *
 * @param from the first line that goes, counted from 0
 * @param to the line after the last one that goes; {@code from} when only something is put in before it
 * @param lines what comes instead
 */
record LineEdit(int from, int to, List<String> lines) {

    static final Comparator<LineEdit> ORDER =
            Comparator.comparingInt(LineEdit::from).thenComparingInt(LineEdit::to);

    LineEdit {
        lines = List.copyOf(lines);
    }

    /** The lines after some edits that do not overlap. */
    static List<String> apply(List<String> lines, List<LineEdit> edits) {
        List<String> edited = new ArrayList<>();
        int at = 0;
        for (LineEdit edit : edits.stream().sorted(ORDER).toList()) {
            edited.addAll(lines.subList(at, edit.from));
            edited.addAll(edit.lines);
            at = edit.to;
        }
        edited.addAll(lines.subList(at, lines.size()));
        return edited;
    }

    /** The edit without lines that stay as they are; it may do nothing then. */
    LineEdit trimmed(List<String> original) {
        int start = 0;
        while (from + start < to
                && start < lines.size()
                && original.get(from + start).equals(lines.get(start))) {
            start++;
        }
        int end = 0;
        while (to - end > from + start
                && lines.size() - end > start
                && original.get(to - end - 1).equals(lines.get(lines.size() - end - 1))) {
            end++;
        }
        return new LineEdit(from + start, to - end, lines.subList(start, lines.size() - end));
    }

    boolean isNothing() {
        return from == to && lines.isEmpty();
    }
}
