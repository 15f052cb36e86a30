package dev.sallyport.server.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.server.terminal.Palette;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Turns an audit record into a line for people. Whatever a workload sent, the terminal gets no control characters. Confined
 * to a thread.
 */
public final class AuditPrinter {

    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);
    private static final int VERDICT_WIDTH = 7;

    /** The name of a secret of the control plane, after those of its organization and itself. */
    private static final Pattern STORED = Pattern.compile("^org_[a-z0-9]+/sec_[a-z0-9]+/([A-Za-z0-9_-]+)$");

    private final ObjectMapper json = new ObjectMapper();
    private final Palette palette;
    private final ZoneId zone;
    private LocalDate day;

    public AuditPrinter(Palette palette, ZoneId zone) {
        this(palette, zone, LocalDate.now(zone));
    }

    AuditPrinter(Palette palette, ZoneId zone, LocalDate today) {
        this.palette = palette;
        this.zone = zone;
        this.day = today;
    }

    /** The same as {@link #line(String)}, after a line with the day where that is another than of the line before, or today. */
    public String dated(String text) {
        LocalDate of = day(text);
        if (of.equals(day)) {
            return line(text);
        }
        day = of;
        return palette.dim("-- " + of) + "\n" + line(text);
    }

    private LocalDate day(String text) {
        try {
            return LocalDate.ofInstant(
                    Instant.parse(json.readTree(text).path("time").asText()), zone);
        } catch (JsonProcessingException | DateTimeParseException e) {
            return day;
        }
    }

    /** A line of an audit file as it is to be shown, without a line feed: a record, or whatever else it may be. */
    public String line(String text) {
        try {
            JsonNode record = json.readTree(text);
            return record.isObject() ? line(record) : palette.dim(Palette.clean(text));
        } catch (JsonProcessingException e) {
            return palette.dim(Palette.clean(text));
        }
    }

    /** A record, without a line feed. */
    public String line(JsonNode record) {
        if (!record.path("audit").isObject()) {
            return note(record);
        }
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

    /** What the chain says of itself. */
    private String note(JsonNode record) {
        String msg = Palette.clean(record.path("msg").asText());
        String padded = msg.toUpperCase(Locale.ROOT) + " ".repeat(Math.max(0, VERDICT_WIDTH - msg.length()));
        return palette.dim(time(record.path("time").asText())) + "  "
                + palette.yellow(padded) + " "
                + Palette.clean(record.path(msg).toString());
    }

    private String time(String text) {
        try {
            return LocalTime.ofInstant(Instant.parse(text), zone).format(CLOCK);
        } catch (DateTimeParseException e) {
            return Palette.clean(text);
        }
    }

    private String verdict(String action) {
        return palette.padded(action.equals("client_cancel") ? "cancel" : Palette.clean(action), VERDICT_WIDTH);
    }

    private static String status(int code) {
        return code == 0 ? "  -" : Integer.toString(code);
    }

    private String what(JsonNode audit) {
        String host = audit.path("host").asText();
        String named = host.isEmpty() ? audit.path("sni").asText() : host;
        if (named.isEmpty()) {
            return "connection of " + Palette.clean(audit.path("remote_addr").asText());
        }
        String port = host.isEmpty() ? "" : ":" + audit.path("port").asInt();
        String method = audit.path("method").asText();
        return palette.bold(Palette.clean(method.isEmpty() ? "TLS" : method)) + " "
                + Palette.clean(named + port + audit.path("path").asText());
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
            notes.add(palette.red(Palette.clean(who + (who.isEmpty() || error.isEmpty() ? "" : ": ") + error)));
        }
        if (record.has("stubbed_by")) {
            notes.add(palette.cyan(
                    "answered by " + Palette.clean(record.path("stubbed_by").asText())));
        }
        for (String direction : List.of("request_transforms", "response_transforms")) {
            for (JsonNode transform : record.path(direction)) {
                annotations(transform, notes);
            }
        }
        return notes;
    }

    private void annotations(JsonNode transform, List<String> notes) {
        String name = Palette.clean(transform.path("name").asText());
        for (Map.Entry<String, JsonNode> annotation :
                transform.path("annotations").properties()) {
            String key = Palette.clean(annotation.getKey());
            if (key.equals("swapped") || key.equals("injected")) {
                for (JsonNode use : annotation.getValue()) {
                    notes.add(palette.cyan(name + ": " + key + " " + use(use)));
                }
            } else {
                notes.add(palette.dim(name + ": " + key + " "
                        + Palette.clean(annotation.getValue().toString())));
            }
        }
    }

    /** A secret and where it went, or only a place, by transforms whose credential has no name. */
    private static String use(JsonNode use) {
        if (!use.isObject()) {
            return Palette.clean(use.isTextual() ? "in " + use.asText() : use.toString());
        }
        List<String> places = new ArrayList<>();
        use.path("locations").forEach(place -> places.add(Palette.clean(place.asText())));
        String fingerprint = use.path("fingerprint").asText();
        return Palette.clean(STORED.matcher(use.path("secret").asText()).replaceFirst("$1"))
                + (fingerprint.isEmpty() ? "" : " (" + Palette.clean(fingerprint) + ")")
                + " in " + String.join(", ", places);
    }
}
