package dev.sallyport.server.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the script of the page makes of hostile records: docs/run.md. Runs it in node, with as much DOM as it uses. */
class RecordsPageTest {

    /** Markup ends it; at the end it says what is shown. */
    private static final String BROWSER = """
            function element() {
              return {
                textContent: "", className: "", hidden: true, value: "", cells: [], listeners: {}, dataset: {records: "/r"},
                classes: [],
                get classList() { return {add: (name) => this.classes.push(name)}; },
                append(...more) { this.cells.push(...more); },
                prepend(one) { this.cells.unshift(one); },
                replaceChildren() { this.cells = []; },
                get children() { return this.cells; },
                get childElementCount() { return this.cells.length; },
                get lastElementChild() { return {remove: () => this.cells.pop()}; },
                addEventListener(name, run) { this.listeners[name] = run; },
                scrollIntoView() {},
                set innerHTML(any) { throw new Error("markup"); },
                set outerHTML(any) { throw new Error("markup"); },
                setAttribute() { throw new Error("attribute"); },
              };
            }
            const elements = {};
            globalThis.document = {
              body: element(),
              getElementById: (id) => elements[id] ??= element(),
              createElement: element,
            };
            const events = element();
            globalThis.EventSource = function (url) { events.url = url; return events; };
            require(process.argv[2]);
            const send = (name, data) => events.listeners[name]({data: JSON.stringify(data)});
            events.listeners.open({});
            const record = (path) => ({time: "2026-01-02T03:04:05.678Z", rejected_by: "<b>allowlist</b>",
              audit: {host: "<img src=x onerror=alert(1)>", port: 443, method: "GET", path, action: "reject x",
                status_code: 403, request_bytes: 1, response_bytes: 2}});
            for (let i = 0; i < 1500; i++) {
              send("record", record("/" + i));
            }
            send("skipped", {count: 7});
            send("record", record("/</td><script>alert(2)</script>\\u202e\\u0000\\ud800"));
            const rows = elements.records.cells;
            rows[0].listeners.click();
            console.log(JSON.stringify({url: events.url, rows: rows.length, state: elements.state.textContent,
              classes: rows[0].classes, first: rows[0].cells.map((cell) => cell.textContent),
              whole: elements.whole.textContent}));
            """;

    @TempDir
    private Path folder;

    private Path script() throws IOException {
        try (InputStream in = Objects.requireNonNull(RecordsPage.class.getResourceAsStream("page.js"))) {
            return Files.write(folder.resolve("page.js"), in.readAllBytes());
        }
    }

    private static boolean hasNode() throws InterruptedException {
        try {
            return new ProcessBuilder("node", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void records_become_text_and_the_oldest_rows_go() throws Exception {
        assumeTrue(hasNode(), "needs node");
        Path browser = Files.writeString(folder.resolve("browser.js"), BROWSER);

        Process node = new ProcessBuilder("node", browser.toString(), script().toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(node.waitFor()).as(said).isZero();

        JsonNode shown = new ObjectMapper().readTree(said);
        assertThat(shown.path("url").asText()).isEqualTo("/r");
        assertThat(shown.path("rows").asInt()).isEqualTo(1000);
        assertThat(shown.path("state").asText()).isEqualTo("live; 7 not shown");
        assertThat(shown.path("classes")).isEmpty();
        assertThat(shown.path("first"))
                .extracting(JsonNode::asText)
                .containsExactly(
                        "03:04:05.678",
                        "reject x",
                        "403",
                        "GET <img src=x onerror=alert(1)>:443/</td><script>alert(2)</script>\\u{202e}\\u{0}\\u{d800}",
                        "3",
                        "<b>allowlist</b>");
        assertThat(shown.path("whole").asText()).contains("\\u{202e}").contains("\n");
    }
}
