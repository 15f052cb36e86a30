package dev.sallyport.ctl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.ctl.client.Reply;
import dev.sallyport.ctl.text.Json;
import dev.sallyport.ctl.text.Table;
import java.time.Instant;
import java.util.List;

/** Shows answers in the format that was asked for. */
final class Printer {

    private final Terminal terminal;
    private final Format format;

    Printer(Terminal terminal, Format format) {
        this.terminal = terminal;
        this.format = format;
    }

    /** Shows a list, which is in {@code data}, and tells people where to go on when there is more. */
    void list(JsonNode document, View view) {
        if (format.isDocument()) {
            document(document);
            return;
        }
        JsonNode rows = document.path("data");
        if (format == Format.NAME) {
            rows.forEach(row -> line(view.name().apply(row)));
        } else if (rows.isEmpty()) {
            terminal.note("no " + view.plural());
        } else {
            table(rows, view);
        }
        if (document.path("has_more").asBoolean()) {
            terminal.note("there are more: --cursor " + document.path("cursor").asText());
        }
    }

    /** Shows one object. */
    void one(Reply reply, View view) {
        switch (format) {
            case JSON, YAML -> document(reply.document());
            case NAME -> line(view.name().apply(reply.object()));
            case TABLE, WIDE -> table(List.of(reply.object()), view);
        }
    }

    /** Shows what became of one object: in words, unless a format was asked for. */
    void done(Reply reply, View view, String words) {
        switch (format) {
            case JSON, YAML -> document(reply.document());
            case NAME -> line(view.name().apply(reply.object()));
            case TABLE -> line(view.name().apply(reply.object()) + " " + words);
            case WIDE -> table(List.of(reply.object()), view);
        }
    }

    /** Says what became of an object that is gone: the API answers nothing then. */
    void gone(String name, String words) {
        switch (format) {
            case JSON, YAML -> {}
            case NAME -> line(name);
            case TABLE, WIDE -> line(name + " " + words);
        }
    }

    private void document(JsonNode document) {
        terminal.out().println(format == Format.YAML ? Json.yaml(document) : Json.pretty(document));
    }

    private void line(String text) {
        terminal.line(text);
    }

    private void table(Iterable<JsonNode> rows, View view) {
        Instant now = terminal.clock().instant();
        List<View.Column> columns = view.columns().stream()
                .filter(column -> format == Format.WIDE || !column.wide())
                .toList();
        Table table = new Table(columns.stream().map(View.Column::heading).toList());
        for (JsonNode row : rows) {
            table.row(
                    columns.stream().map(column -> column.cell().text(row, now)).toList());
        }
        table.print(terminal.out());
    }
}
