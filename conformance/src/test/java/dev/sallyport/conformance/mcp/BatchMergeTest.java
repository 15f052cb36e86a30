package dev.sallyport.conformance.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.conformance.Gate;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches that are judged item by item: what is forwarded, and what the client gets, against what was made by hand. */
class BatchMergeTest {

    private static final int BATCHES = Integer.getInteger("sallyport.differential.cases", 4_000);

    @TempDir
    Path folder;

    @Tag("long")
    @Test
    void everyBatchIsAnsweredAsItsItemsAre() throws Exception {
        long seed = Long.getLong("sallyport.seed", System.nanoTime());
        System.out.println("batches: seed " + seed);
        AtomicReference<Batch> current = new AtomicReference<>();
        try (RawServer server = new RawServer(request -> current.get().answer());
                Gate gate = new Gate(folder, "", """
                        mcp:
                          servers:
                            - name: batches
                              rules: [{host: localhost}]
                              tools: [{name: echo}, {name: send, when: [{path: to, equals: friend}]}]
                        """);
                RawClient client = new RawClient(gate.httpPort())) {
            for (int i = 0; i < BATCHES; i++) {
                Batch batch = new Batch(new Random(seed + i));
                current.set(batch);
                server.forget();
                compare("batch " + i + " of seed " + seed, batch, server, client);
            }
        }
    }

    private static void compare(String name, Batch batch, RawServer server, RawClient client) throws Exception {
        byte[] body = Wire.bytes(batch.text());
        client.send(Wire.join(
                Wire.bytes("POST /mcp HTTP/1.1\r\nHost: " + server.authority()
                        + "\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
                        + "Content-Length: " + body.length + "\r\n\r\n"),
                body));
        Seen answer = client.answer();
        assertThat(answer).as(name).isNotNull();
        String said = new String(answer.body(), StandardCharsets.UTF_8);
        List<String> forwarded = batch.forwarded();
        if (forwarded.isEmpty()) {
            assertThat(server.seen()).as(name).isEmpty();
        } else {
            assertThat(server.seen())
                    .as("%s: %s answered %s %s", name, batch.text(), answer.line(), said)
                    .hasSize(1);
            String got = new String(server.seen().getFirst().body(), StandardCharsets.UTF_8);
            assertThat(got)
                    .as(name)
                    .isEqualTo(batch.nothingDenied() ? batch.text() : "[" + String.join(",", forwarded) + "]");
        }
        assertThat(messages(answer))
                .as("%s: %s answered %s", name, batch.text(), said)
                .containsExactlyInAnyOrderElementsOf(batch.expected());
        assertThat(answer.target()).as(name).isEqualTo(answer.body().length > 0 || streams(answer) ? "200" : "202");
    }

    private static boolean streams(Seen answer) {
        return answer.header("Content-Type").contains("text/event-stream");
    }

    private static List<JsonNode> messages(Seen answer) {
        List<JsonNode> messages = new ArrayList<>();
        String text = new String(answer.body(), StandardCharsets.UTF_8);
        if (streams(answer)) {
            for (String event : text.replace("\r\n", "\n").replace('\r', '\n').split("\n\n", -1)) {
                StringBuilder data = new StringBuilder();
                for (String line : event.split("\n", -1)) {
                    if (line.startsWith("data:")) {
                        data.append(line.substring("data:".length())).append('\n');
                    }
                }
                add(messages, data.toString());
            }
        } else {
            add(messages, text);
        }
        return messages;
    }

    private static void add(List<JsonNode> messages, String text) {
        JsonNode value = Batch.parse(text);
        if (value.isArray()) {
            value.forEach(item -> messages.add(Batch.bare(item)));
        } else if (!value.isMissingNode()) {
            messages.add(Batch.bare(value));
        }
    }
}
