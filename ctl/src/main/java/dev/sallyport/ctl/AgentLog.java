package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.ctl.text.Json;

/** Shows what an agent says, line by line, whatever parts it comes in. For one thread. */
final class AgentLog {

    /** So long is a line that is shown before it ends, in characters. */
    private static final int LONGEST = 64 << 10;

    private final Terminal terminal;
    private final Format format;
    private final StringBuilder line = new StringBuilder();

    AgentLog(Terminal terminal, Format format) {
        this.terminal = terminal;
        this.format = format;
    }

    /** Takes an event; returns whether nothing more is said. */
    boolean take(String name, JsonNode data) {
        switch (name) {
            case "log" -> show(data);
            case "end" -> {
                end();
                return true;
            }
            default -> {} // what later versions add
        }
        return false;
    }

    private void show(JsonNode data) {
        switch (format) {
            case JSON -> terminal.out().println(data);
            case YAML -> terminal.out().println("---\n" + Json.yaml(data));
            case NAME, TABLE, WIDE -> text(data.path("text").asText());
        }
        terminal.out().flush();
    }

    private void text(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n' || line.length() >= LONGEST) {
                terminal.line(line.toString());
                line.setLength(0);
            }
            if (c == '\t') {
                line.append("    ");
            } else if (c != '\n' && c != '\r') {
                line.append(c);
            }
        }
    }

    /** Shows what has not ended yet. */
    void end() {
        if (!line.isEmpty()) {
            terminal.line(line.toString());
            line.setLength(0);
        }
        terminal.out().flush();
    }
}
