package dev.sallyport.compare.report;

import java.util.List;
import java.util.Locale;

/** Bars with the spread of the rounds, as SVG that reads well on light and dark pages. */
final class Plot {

    private static final int WIDTH = 720;
    private static final int PEERS = 120;
    private static final int RIGHT = 110;
    private static final int TOP = 34;
    private static final int ROW = 26;

    private Plot() {}

    /** One bar. */
    record Row(String peer, Spread spread) {}

    static String svg(String title, List<Row> rows) {
        return svg(title, rows, PEERS);
    }

    /** @param left room for what stands before the bars */
    static String svg(String title, List<Row> rows, int left) {
        double most = rows.stream().mapToDouble(row -> row.spread().max()).max().orElse(1);
        double scale = most <= 0 ? 0 : (WIDTH - left - RIGHT) / most;
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">
                <rect width="100%%" height="100%%" fill="#ffffff"/>
                <text x="8" y="20" font-weight="bold">%s</text>
                """, WIDTH, TOP + ROW * rows.size() + 8, escaped(title)));
        int y = TOP;
        for (Row row : rows) {
            row(svg, row, y, scale, left);
            y += ROW;
        }
        return svg.append("</svg>\n").toString();
    }

    private static void row(StringBuilder svg, Row row, int y, double scale, int left) {
        Spread spread = row.spread();
        double middle = y + ROW / 2.0;
        svg.append(String.format(
                Locale.ROOT,
                """
                <text x="%d" y="%.0f" text-anchor="end">%s</text>
                <rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>
                <path d="M%.1f %.1fH%.1f" stroke="#222222"/>
                <text x="%.1f" y="%.0f">%s</text>
                """,
                left - 8,
                middle + 4,
                escaped(row.peer()),
                left,
                y + 4,
                Math.max(0, spread.median() * scale),
                ROW - 8,
                row.peer().startsWith("sallyport") ? "#2f6f4f" : "#9db4c0",
                left + Math.max(0, spread.min() * scale),
                middle,
                left + Math.max(0, spread.max() * scale),
                left + Math.max(0, spread.max() * scale) + 8,
                middle + 4,
                Numbers.text(spread.median())));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
