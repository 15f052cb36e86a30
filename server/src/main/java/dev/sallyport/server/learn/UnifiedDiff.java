package dev.sallyport.server.learn;

import java.util.ArrayList;
import java.util.List;

/** Writes edits as {@code diff -u} does, for {@code patch}. Pure functions. */
final class UnifiedDiff {

    private static final int CONTEXT = 3;
    private static final String NO_LINE_FEED = "\\ No newline at end of file";

    private UnifiedDiff() {}

    /**
     * The diff; no lines when nothing changes.
     *
     * @param name of the file, before and after
     * @param lines the file, without line feeds
     * @param ended whether its last line ends with a line feed; after an edit of that line it does
     * @param edits that do not overlap
     */
    static List<String> of(String name, List<String> lines, boolean ended, List<LineEdit> edits) {
        List<LineEdit> changes = new ArrayList<>();
        for (LineEdit edit : edits.stream().sorted(LineEdit.ORDER).toList()) {
            LineEdit change = edit.trimmed(lines);
            if (!change.isNothing()) {
                add(change, lines, ended, changes);
            }
        }
        List<String> diff = new ArrayList<>();
        if (!changes.isEmpty()) {
            diff.add("--- " + name);
            diff.add("+++ " + name);
        }
        int shift = 0;
        for (int i = 0; i < changes.size(); ) {
            int end = i + 1;
            while (end < changes.size()
                    && changes.get(end).from() - changes.get(end - 1).to() <= 2 * CONTEXT) {
                end++;
            }
            shift = hunk(lines, ended, changes.subList(i, end), shift, diff);
            i = end;
        }
        return diff;
    }

    /** What comes after a last line without a line feed changes that line too. */
    private static void add(LineEdit change, List<String> lines, boolean ended, List<LineEdit> changes) {
        int last = lines.size() - 1;
        if (ended || last < 0 || change.from() <= last) {
            changes.add(change);
            return;
        }
        boolean changed = !changes.isEmpty() && changes.getLast().to() > last;
        LineEdit before = changed ? changes.removeLast() : new LineEdit(last, last + 1, List.of(lines.get(last)));
        List<String> both = new ArrayList<>(before.lines());
        both.addAll(change.lines());
        changes.add(new LineEdit(before.from(), change.to(), both));
    }

    private static int hunk(List<String> lines, boolean ended, List<LineEdit> changes, int shift, List<String> diff) {
        int from = Math.max(0, changes.getFirst().from() - CONTEXT);
        int to = Math.min(lines.size(), changes.getLast().to() + CONTEXT);
        List<String> body = new ArrayList<>();
        int at = from;
        int more = 0;
        for (LineEdit change : changes) {
            old(' ', lines, ended, at, change.from(), body);
            old('-', lines, ended, change.from(), change.to(), body);
            change.lines().forEach(line -> body.add("+" + line));
            more += change.lines().size() - (change.to() - change.from());
            at = change.to();
        }
        old(' ', lines, ended, at, to, body);
        int before = to - from;
        int after = before + more;
        diff.add("@@ -" + range(from, before) + " +" + range(from + shift, after) + " @@");
        diff.addAll(body);
        return shift + more;
    }

    private static void old(char mark, List<String> lines, boolean ended, int from, int to, List<String> body) {
        for (int i = from; i < to; i++) {
            body.add(mark + lines.get(i));
            if (!ended && i == lines.size() - 1) {
                body.add(NO_LINE_FEED);
            }
        }
    }

    /** An empty range is named by the line before it. */
    private static String range(int from, int count) {
        return (count == 0 ? from : from + 1) + "," + count;
    }
}
