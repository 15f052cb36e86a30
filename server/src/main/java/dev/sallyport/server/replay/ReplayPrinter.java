package dev.sallyport.server.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.explain.SourceLocation;
import dev.sallyport.server.explain.ExplanationJson;
import dev.sallyport.server.record.ReadTally;
import dev.sallyport.server.terminal.Palette;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Shows a report: to people, or as JSON. */
public final class ReplayPrinter {

    /** How many exchanges of a group people see. */
    private static final int SHOWN = 20;

    private final ReplayReport report;
    private final ReadTally read;

    /** @param read what the records were read from */
    public ReplayPrinter(ReplayReport report, ReadTally read) {
        this.report = report;
        this.read = read;
    }

    /** Some lines, each ended. */
    public String text(Palette palette) {
        StringBuilder text = new StringBuilder();
        for (FlipGroup group : report.groups()) {
            FlipGroup.Cause cause = group.cause();
            text.append(palette.verdict(cause.before().text()))
                    .append(" -> ")
                    .append(palette.verdict(cause.now().text()))
                    .append("  ")
                    .append(palette.bold(Palette.clean(who(cause))))
                    .append(String.format(Locale.ROOT, "  (%,d)%n", group.count()));
            List<Flip> flips = group.flips();
            flips.stream().limit(SHOWN).forEach(flip -> text.append(line(flip, palette)));
            long more = group.count() - Math.min(SHOWN, flips.size());
            if (more > 0) {
                text.append(palette.dim(String.format(Locale.ROOT, "    and %,d more", more)))
                        .append('\n');
            }
            text.append('\n');
        }
        new TreeMap<>(report.undecidable())
                .forEach((why, count) -> text.append(palette.dim(
                                String.format(Locale.ROOT, "undecidable: %s  (%,d)", Palette.clean(why), count)))
                        .append('\n'));
        return text.append(counts()).append('\n').toString();
    }

    private static String who(FlipGroup.Cause cause) {
        SourceLocation rule = cause.rule();
        String by = cause.transform().isEmpty() ? "the proxy itself" : cause.transform();
        return rule == null ? by : by + "  " + rule + "  " + rule.pointer();
    }

    private static String line(Flip flip, Palette palette) {
        String request = (flip.method().isEmpty() ? "TLS" : flip.method()) + " " + flip.url();
        String code = flip.code() == null ? "" : "  " + flip.code();
        return "    " + Palette.clean(request + code)
                + palette.dim(Palette.clean("  " + flip.exchangeId() + "  " + flip.at())) + "\n";
    }

    private String counts() {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%,d exchanges: %,d unchanged, %,d would flip, %,d undecidable",
                read.exchanges(),
                report.unchangedCount(),
                report.flipCount(),
                report.undecidableCount()));
        if (report.assumedCount() > 0) {
            line.append(String.format(
                    Locale.ROOT,
                    "%n%,d of the unchanged also depend on headers, taken as they were",
                    report.assumedCount()));
        }
        if (read.unreadable() > 0) {
            String lines = read.unreadable() == 1 ? "line holds" : "lines hold";
            line.append(String.format(Locale.ROOT, "%n%,d %s no usable record", read.unreadable(), lines));
        }
        return line.toString();
    }

    /** The whole report. */
    public ObjectNode json() {
        ObjectNode json = new ObjectMapper().createObjectNode();
        ArrayNode groups = json.putArray("flips");
        report.groups().forEach(group -> group(group, groups.addObject()));
        ObjectNode counts = json.putObject("counts");
        counts.put("exchanges", read.exchanges());
        counts.put("unchanged", report.unchangedCount());
        counts.put("flips", report.flipCount());
        counts.put("undecidable", report.undecidableCount());
        counts.put("also_by_headers", report.assumedCount());
        counts.put("unreadable_lines", read.unreadable());
        counts.put("other_lines", read.others());
        ObjectNode reasons = json.putObject("undecidable");
        for (Map.Entry<String, Long> reason : new TreeMap<>(report.undecidable()).entrySet()) {
            reasons.put(reason.getKey(), reason.getValue());
        }
        return json;
    }

    private static void group(FlipGroup group, ObjectNode json) {
        FlipGroup.Cause cause = group.cause();
        if (!cause.transform().isEmpty()) {
            json.put("transform", cause.transform());
        }
        SourceLocation rule = cause.rule();
        if (rule != null) {
            json.set("rule", ExplanationJson.place(rule));
        }
        json.put("old", cause.before().text());
        json.put("new", cause.now().text());
        json.put("count", group.count());
        ArrayNode exchanges = json.putArray("exchanges");
        for (Flip flip : group.flips()) {
            ObjectNode exchange = exchanges.addObject();
            exchange.put("exchange_id", flip.exchangeId());
            exchange.put("at", flip.at().toString());
            exchange.put("method", flip.method());
            exchange.put("url", flip.url());
            if (flip.code() != null) {
                exchange.put("code", flip.code());
            }
        }
    }
}
