package dev.sallyport.ctl.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** A table with a heading, in columns as wide as they must be, three spaces apart. */
public final class Table {

    private static final int GAP = 3;
    private static final String NONE = "<none>";

    private final List<List<String>> rows = new ArrayList<>();

    /** A table with these headings. */
    public Table(List<String> headings) {
        rows.add(List.copyOf(headings));
    }

    /** Adds a row, with as many cells as there are headings. An empty cell is shown as {@code <none>}. */
    public void row(List<String> cells) {
        rows.add(cells.stream()
                .map(cell -> cell.isEmpty() ? NONE : Plain.clean(cell))
                .toList());
    }

    /** Prints it. */
    public void print(PrintWriter out) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], length(row.get(i)));
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                String cell = row.get(i);
                line.append(cell).append(" ".repeat(widths[i] - length(cell) + GAP));
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
