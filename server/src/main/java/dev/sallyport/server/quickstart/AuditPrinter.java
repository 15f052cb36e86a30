package dev.sallyport.server.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Turns an audit record into a line for people. Whatever a workload sent, the terminal gets no control characters. */
final class AuditPrinter {

    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);
    private static final int VERDICT_WIDTH = 7;

    private final Palette palette;
    private final ZoneId zone;

    AuditPrinter(Palette palette, ZoneId zone) {
        this.palette = palette;
        this.zone = zone;
    }

    /** Without a line feed. */
    String line(JsonNode record) {
        JsonNode audit = record.path("audit");
        StringBuilder line = new StringBuilder();
        line.append(palette.dim(time(record.path("time").asText()))).append("  ");
        line.append(verdict(audit.path("action").asText())).append(' ');
        line.append(status(audit.path("status_code").asInt())).append("  ");
        line.append(what(audit));
        line.append(palette.dim("  " + millis(audit.path("duration_ms").asDouble())));
        for (String note : notes(record)) {
            line.append("\n    ").append(note);
        }
        return line.toString();
    }

    private String time(String text) {
        try {
            return LocalTime.ofInstant(Instant.parse(text), zone).format(CLOCK);
        } catch (DateTimeParseException e) {
            return clean(text);
        }
    }

    private String verdict(String action) {
        String word = clean(action).toUpperCase(Locale.ROOT).replace("CLIENT_CANCEL", "CANCEL");
        String padded = word + " ".repeat(Math.max(0, VERDICT_WIDTH - word.length()));
        return switch (action) {
            case "allow" -> palette.green(padded);
            case "reject" -> palette.red(padded);
            case "stub" -> palette.cyan(padded);
            case "error" -> palette.yellow(padded);
            default -> palette.dim(padded);
        };
    }

    private static String status(int code) {
        return code == 0 ? "  -" : Integer.toString(code);
    }

    private String what(JsonNode audit) {
        String host = audit.path("host").asText();
        String named = host.isEmpty() ? audit.path("sni").asText() : host;
        if (named.isEmpty()) {
            return "connection of " + clean(audit.path("remote_addr").asText());
        }
        String port = host.isEmpty() ? "" : ":" + audit.path("port").asInt();
        String method = audit.path("method").asText();
        return palette.bold(clean(method.isEmpty() ? "TLS" : method)) + " "
                + clean(named + port + audit.path("path").asText());
    }

    private static String millis(double millis) {
        return millis < 10 ? String.format(Locale.ROOT, "%.1f ms", millis) : Math.round(millis) + " ms";
    }

    private List<String> notes(JsonNode record) {
        List<String> notes = new ArrayList<>();
        String refusedBy = record.path("rejected_by").asText();
        String error = record.path("error").asText();
        if (!refusedBy.isEmpty() || !error.isEmpty()) {
            String who = refusedBy.isEmpty() ? "" : "refused by " + refusedBy;
            notes.add(palette.red(clean(who + (who.isEmpty() || error.isEmpty() ? "" : ": ") + error)));
        }
        if (record.has("stubbed_by")) {
            notes.add(palette.cyan(
                    "answered by " + clean(record.path("stubbed_by").asText())));
        }
        for (String direction : List.of("request_transforms", "response_transforms")) {
            for (JsonNode transform : record.path(direction)) {
                annotations(transform, notes);
            }
        }
        return notes;
    }

    private void annotations(JsonNode transform, List<String> notes) {
        String name = clean(transform.path("name").asText());
        for (Map.Entry<String, JsonNode> annotation :
                transform.path("annotations").properties()) {
            String key = clean(annotation.getKey());
            if (key.equals("swapped") || key.equals("injected")) {
                for (JsonNode use : annotation.getValue()) {
                    List<String> places = new ArrayList<>();
                    use.path("locations").forEach(place -> places.add(clean(place.asText())));
                    notes.add(palette.cyan(name + ": " + key + " "
                            + clean(use.path("secret").asText()) + " in " + String.join(", ", places)));
                }
            } else {
                notes.add(palette.dim(
                        name + ": " + key + " " + clean(annotation.getValue().toString())));
            }
        }
    }

    /** Escapes what a terminal would obey or turn around: control and format characters. */
    private static String clean(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            int type = Character.getType(c);
            if (type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR
                    || type == Character.SURROGATE) {
                clean.append(String.format("\\u%04x", c));
            } else {
                clean.appendCodePoint(c);
            }
        });
        return clean.toString();
    }
}
