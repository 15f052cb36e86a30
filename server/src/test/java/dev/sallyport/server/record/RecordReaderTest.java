package dev.sallyport.server.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordReaderTest {

    private static final String RECORD = """
            {"time":"2026-11-21T09:30:01.250Z","level":"WARN","msg":"request","schema_version":1,"seq":7,\
            "exchange_id":"e1","audit":{"host":"api.example.com","port":8443,"method":"POST","path":"/v1/a?b=c?d",\
            "remote_addr":"192.0.2.7:5000","workload":"ci","sni":"api.example.com","mode":"mitm","protocol":"h2",\
            "upstream_addr":"192.0.2.9:8443","action":"reject","status_code":403,"duration_ms":1.250,\
            "request_bytes":0,"response_bytes":120},"tunnel":{"target":"api.example.com:8443"},\
            "rejected_by":"allowlist","request_transforms":[{"name":"allowlist","action":"reject","duration_ms":0.010,\
            "annotations":{"code":"not_allowlisted"}}],"response_transforms":[],"prev":"00"}
            """;

    private final List<RecordedExchange> read = new ArrayList<>();
    private final RecordReader reader = new RecordReader(read::add, 4096);

    @TempDir
    Path folder;

    @Test
    void the_fields_of_a_record() throws Exception {
        text(RECORD);

        RecordedExchange exchange = read.getFirst();
        assertThat(exchange.at()).hasToString("-:1");
        assertThat(exchange.time()).isEqualTo("2026-11-21T09:30:01.250Z");
        assertThat(exchange.exchangeId()).isEqualTo("e1");
        assertThat(exchange.host()).isEqualTo("api.example.com");
        assertThat(exchange.port()).isEqualTo(8443);
        assertThat(exchange.method()).isEqualTo("POST");
        assertThat(exchange.path()).isEqualTo("/v1/a?b=c?d");
        assertThat(exchange.pathOnly()).isEqualTo("/v1/a");
        assertThat(exchange.query()).isEqualTo("b=c?d");
        assertThat(exchange.remoteAddr()).isEqualTo("192.0.2.7:5000");
        assertThat(exchange.workload()).isEqualTo("ci");
        assertThat(exchange.sni()).isEqualTo("api.example.com");
        assertThat(exchange.mode()).isEqualTo("mitm");
        assertThat(exchange.protocol()).isEqualTo("h2");
        assertThat(exchange.action()).isEqualTo("reject");
        assertThat(exchange.statusCode()).isEqualTo(403);
        assertThat(exchange.tunnelTarget()).isEqualTo("api.example.com:8443");
        assertThat(exchange.rejectedBy()).isEqualTo("allowlist");
        assertThat(exchange.stubbedBy()).isNull();
        assertThat(exchange.error()).isNull();
        assertThat(exchange.letThrough()).isFalse();
        assertThat(exchange.requestTransforms()).singleElement().satisfies(transform -> {
            assertThat(transform.name()).isEqualTo("allowlist");
            assertThat(transform.action()).isEqualTo("reject");
            assertThat(transform.error()).isNull();
            assertThat(transform.note("code")).isEqualTo("not_allowlisted");
            assertThat(transform.note("none")).isEmpty();
        });
    }

    @Test
    void fields_that_are_missing_are_empty() throws Exception {
        text("{\"msg\":\"request\",\"audit\":{\"action\":\"allow\"}}\n");

        RecordedExchange exchange = read.getFirst();
        assertThat(exchange.host()).isEmpty();
        assertThat(exchange.port()).isZero();
        assertThat(exchange.query()).isNull();
        assertThat(exchange.tunnelTarget()).isNull();
        assertThat(exchange.requestTransforms()).isEmpty();
        assertThat(exchange.letThrough()).isTrue();
        assertThat(exchange.warned()).isFalse();
    }

    @Test
    void an_exchange_that_passed_with_a_warning() throws Exception {
        text("{\"msg\":\"request\",\"audit\":{\"action\":\"allow\"},\"request_transforms\":"
                + "[{\"name\":\"allowlist\",\"action\":\"allow\",\"annotations\":{\"action\":\"warn\"}}]}\n");

        assertThat(read.getFirst().letThrough()).isTrue();
        assertThat(read.getFirst().warned()).isTrue();
    }

    @Test
    void other_lines_are_counted_and_passed_over() throws Exception {
        text("{\"level\":\"INFO\",\"msg\":\"ready\"}\n\n  \r\n[1]\n" + RECORD);

        assertThat(read).singleElement().extracting(RecordedExchange::at).hasToString("-:5");
        assertThat(reader.tally().exchanges()).isEqualTo(1);
        assertThat(reader.tally().others()).isEqualTo(2);
        assertThat(reader.tally().unreadable()).isZero();
    }

    @Test
    void unreadable_lines_are_counted_and_named() throws Exception {
        // given: a record torn by a killed process and ended by the next one, and others that are none
        String torn = RECORD.substring(0, 200);
        text(String.join(
                "\n",
                torn,
                "not json",
                "{\"msg\":\"request\",\"schema_version\":2,\"audit\":{\"action\":\"allow\"}}",
                "{\"msg\":\"request\",\"audit\":{}}",
                "{\"msg\":\"request\"} {}",
                "\"" + "x".repeat(5000) + "\"",
                RECORD + torn));

        assertThat(read).hasSize(1);
        assertThat(reader.tally().unreadable()).isEqualTo(7);
        assertThat(reader.tally().torn()).isEqualTo(2);
        assertThat(reader.tally().named())
                .extracting(UnreadableLine::toString)
                .containsExactly(
                        "-:1: the rest of the record is missing",
                        "-:2: no JSON, from column 1 on (expected: an audit record)",
                        "-:3: schema_version 2 (expected: at most 1)",
                        "-:4: a record without /audit/action",
                        "-:5: no JSON, from column 19 on (expected: an audit record)",
                        "-:6: longer than 4096 bytes (expected: an audit record)",
                        "-:8: the rest of the record is missing");
    }

    @Test
    void a_record_that_is_cut_off_anywhere_is_torn() throws Exception {
        String record = RECORD.strip();
        for (int length = 1; length < record.length(); length++) {
            text(record.substring(0, length));
        }

        assertThat(read).isEmpty();
        assertThat(reader.tally().torn()).isEqualTo(record.length() - 1);
    }

    @Test
    void a_last_line_without_a_line_feed() throws Exception {
        text(RECORD.strip());

        assertThat(read).hasSize(1);
        assertThat(reader.tally().unreadable()).isZero();
    }

    @Test
    void lines_of_every_length_around_the_chunk() throws Exception {
        // given: padding, so that line feeds fall on all sides of the 64 KiB that are read at once
        List<RecordedExchange> all = new ArrayList<>();
        RecordReader wide = new RecordReader(all::add);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            text.append("{\"msg\":\"request\",\"exchange_id\":\"" + i + "\",\"audit\":{\"action\":\"allow\"},\"x\":\""
                    + "x".repeat(i * 7) + "\"}\n");
        }

        wide.read("-", stream(text.toString()));

        assertThat(all).extracting(RecordedExchange::exchangeId).hasSize(400).doesNotHaveDuplicates();
        assertThat(wide.tally().unreadable()).isZero();
    }

    @Test
    void files_in_any_order_and_each_once() throws Exception {
        Path now = Files.writeString(folder.resolve("audit.jsonl"), RECORD);
        Path before = Files.writeString(folder.resolve("audit.jsonl.000001"), RECORD + RECORD);
        Path again = folder.resolve("./audit.jsonl");

        reader.readAll(List.of(now.toString(), before.toString(), again.toString(), "-"), stream(RECORD));

        assertThat(read)
                .extracting(exchange -> exchange.at().toString())
                .containsExactly(now + ":1", before + ":1", before + ":2", "-:1");
    }

    @Test
    void a_file_that_is_not_there() {
        String missing = folder.resolve("missing").toString();

        assertThatThrownBy(() -> reader.readAll(List.of(missing), stream(""))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void names_only_so_many_lines() throws Exception {
        text("no\n".repeat(1000));

        assertThat(reader.tally().unreadable()).isEqualTo(1000);
        assertThat(reader.tally().named()).hasSize(ReadTally.NAMED);
    }

    private void text(String text) throws IOException {
        reader.read("-", stream(text));
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }
}
