package dev.sallyport.server.explain;

import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.Explanation.Verdict;
import dev.sallyport.core.explain.MaskedEdit;
import dev.sallyport.core.explain.ResponseOutcome;
import dev.sallyport.core.explain.SourceLocation;
import dev.sallyport.core.explain.TransformOutcome;
import dev.sallyport.server.terminal.Palette;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Explanations for people. */
public final class ExplanationText {

    private static final int WIDEST_NAME = 32;
    private static final int ACTION_WIDTH = "undecidable".length();

    private final Palette palette;
    private final boolean live;

    /** @param live whether requests were explained live */
    public ExplanationText(Palette palette, boolean live) {
        this.palette = palette;
        this.live = live;
    }

    /**
     * Some lines, each ended.
     *
     * @param asked the request as it was given, such as {@code GET https://api.example.com/v1}
     */
    public String of(String asked, Explanation explanation) {
        List<String> lines = new ArrayList<>();
        lines.add(palette.bold(Palette.clean(asked))
                + (explanation.workload().isEmpty() ? "" : "  as " + Palette.clean(explanation.workload())));
        lines.add(verdict(explanation));
        String detail = explanation.detail();
        if (detail != null && !detail.isEmpty()) {
            lines.add("  " + Palette.clean(detail));
        }
        if (!explanation.transforms().isEmpty()) {
            lines.add("");
            transforms(explanation.transforms(), lines);
        }
        groups(explanation.groups(), lines);
        response(explanation, lines);
        lines.add("");
        lines.add(palette.dim(ending(explanation)));
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    private String verdict(Explanation explanation) {
        StringBuilder line =
                new StringBuilder(palette.verdict(explanation.verdict().text()));
        if (explanation.status() != 0) {
            line.append(' ').append(explanation.status());
        }
        if (explanation.code() != null) {
            line.append(' ').append(Palette.clean(explanation.code()));
        }
        if (explanation.decidedBy() != null) {
            line.append(", by ").append(Palette.clean(explanation.decidedBy()));
        }
        SourceLocation rule = explanation.rule();
        if (rule != null) {
            line.append("  ").append(place(rule));
        }
        return line.toString();
    }

    private static String place(SourceLocation place) {
        return Palette.clean(place + "  " + place.pointer());
    }

    private void transforms(List<TransformOutcome> outcomes, List<String> lines) {
        int width = outcomes.stream()
                .mapToInt(outcome -> Math.min(WIDEST_NAME, name(outcome).length()))
                .max()
                .orElse(0);
        int number = 0;
        for (TransformOutcome outcome : outcomes) {
            String name = name(outcome);
            SourceLocation rule = outcome.rule();
            lines.add(String.format("%3d  ", ++number)
                    + name
                    + " ".repeat(Math.max(0, width - name.length()) + 2)
                    + (rule == null
                            ? palette.verdict(outcome.action())
                            : palette.padded(outcome.action(), ACTION_WIDTH) + "  " + place(rule)));
            outcome.rules().stream().skip(1).forEach(more -> lines.add(note("and " + place(more))));
            outcome.edits().forEach(edit -> lines.add(note(edit(edit))));
            outcome.annotations().forEach((key, value) -> lines.add(note(annotation(key, value))));
            if (outcome.error() != null) {
                lines.add(note(outcome.error()));
            }
        }
    }

    private void response(Explanation explanation, List<String> lines) {
        if (explanation.response().isEmpty() && explanation.redacted().isEmpty()) {
            return;
        }
        lines.add("");
        lines.add("response:");
        int width = explanation.response().stream()
                .mapToInt(outcome -> Math.min(WIDEST_NAME, name(outcome).length()))
                .max()
                .orElse(0);
        for (ResponseOutcome outcome : explanation.response()) {
            String name = name(outcome);
            lines.add("     " + name + " ".repeat(Math.max(0, width - name.length()) + 2)
                    + palette.padded(outcome.action(), ACTION_WIDTH) + "  " + place(outcome.entry()));
            if (!outcome.detail().isEmpty()) {
                lines.add(note(outcome.detail()));
            }
            outcome.edits().forEach(edit -> lines.add(note(edit(edit))));
        }
        if (!explanation.redacted().isEmpty()) {
            lines.add(note("secrets removed from it: " + String.join(", ", explanation.redacted())));
        }
    }

    private static String name(ResponseOutcome outcome) {
        return Palette.clean(outcome.name() + (outcome.instance().isEmpty() ? "" : " " + outcome.instance()));
    }

    private static String name(TransformOutcome outcome) {
        String instance = outcome.instance().isEmpty() ? "" : " " + outcome.instance();
        String phase = outcome.phase().equals("connect") ? " (tunnel)" : "";
        return Palette.clean(outcome.name() + instance + phase);
    }

    private String note(String text) {
        return "       " + palette.dim(Palette.clean(text));
    }

    private static String edit(MaskedEdit edit) {
        String what = edit.edit().replace('_', ' ');
        String name = edit.name().isEmpty() ? "" : " " + edit.name();
        String value = edit.value().isEmpty() ? "" : ": " + edit.value();
        return what + name + value;
    }

    private static String annotation(String key, Object value) {
        if (value instanceof List<?> uses && (key.equals("swapped") || key.equals("injected"))) {
            return key + " " + uses.stream().map(ExplanationText::use).collect(Collectors.joining("; "));
        }
        return key + ": " + value;
    }

    private static String use(Object use) {
        if (use instanceof Map<?, ?> fields && fields.get("locations") instanceof List<?> places) {
            return fields.get("secret")
                    + " in "
                    + places.stream().map(String::valueOf).collect(Collectors.joining(", "));
        }
        return String.valueOf(use);
    }

    private void groups(Map<String, Map<String, ?>> groups, List<String> lines) {
        groups.forEach((name, fields) -> lines.add(note(name + ": " + fields)));
    }

    private String ending(Explanation explanation) {
        Explanation.Target to = explanation.destination();
        String nothing = live ? "nothing was sent there" : "nothing was resolved, asked, minted or sent";
        if (to == null || explanation.verdict() == Verdict.REJECT || explanation.verdict() == Verdict.STUB) {
            return live ? "nothing was sent" : nothing;
        }
        String host = to.host().indexOf(':') >= 0 ? "[" + to.host() + "]" : to.host();
        String where = host + ":" + to.port() + (to.secure() ? " over TLS" : " without TLS");
        String addresses = to.addresses().isEmpty() ? "" : ", at " + String.join(", ", to.addresses());
        String would = explanation.verdict() == Verdict.ALLOW ? "would go to " : "meant for ";
        return Palette.clean(would + where + addresses + "; " + nothing);
    }
}
