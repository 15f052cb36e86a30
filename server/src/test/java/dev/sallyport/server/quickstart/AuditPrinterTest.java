package dev.sallyport.server.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditPrinterTest {

    private static final String ALLOWED = """
            {"time":"2026-11-21T09:30:01.250Z","level":"INFO","msg":"request","exchange_id":"e1",
             "audit":{"host":"api.demo.test","port":9443,"method":"GET","path":"/v1/hello?a=b","action":"allow",
             "status_code":200,"duration_ms":12.6},
             "request_transforms":[{"name":"allowlist","action":"continue"},
              {"name":"secrets","action":"continue","annotations":{"swapped":[
               {"secret":"DEMO_API_KEY","locations":["header:Authorization","path"]}]}}],"response_transforms":[]}""";

    @Test
    void an_allowed_request_with_a_swap() throws Exception {
        assertThat(plain(ALLOWED)).isEqualTo("""
                09:30:01.250  ALLOW   200  GET api.demo.test:9443/v1/hello?a=b  13 ms
                    secrets: swapped DEMO_API_KEY in header:Authorization, path""");
    }

    @Test
    void a_refusal_says_by_whom() throws Exception {
        assertThat(plain("""
                {"time":"2026-11-21T09:30:01.250Z","audit":{"host":"x.test","port":80,"method":"POST","path":"/",
                 "action":"reject","status_code":403,"duration_ms":0.44},"rejected_by":"allowlist"}""")).isEqualTo("""
                09:30:01.250  REJECT  403  POST x.test:80/  0.4 ms
                    refused by allowlist""");
    }

    @Test
    void an_error_says_what() throws Exception {
        assertThat(plain("""
                {"time":"2026-11-21T09:30:01.250Z","audit":{"host":"x.test","port":80,"method":"GET","path":"/",
                 "action":"error","status_code":502,"duration_ms":3},"error":"upstream_denied: no"}""")).isEqualTo("""
                09:30:01.250  ERROR   502  GET x.test:80/  3.0 ms
                    upstream_denied: no""");
    }

    @Test
    void what_a_workload_sent_cannot_steer_the_terminal() throws Exception {
        // given: an escape sequence, a line feed, a right-to-left override
        String line = plain("""
                {"time":"2026-11-21T09:30:01.250Z","audit":{"host":"x.test","port":80,"method":"GET",
                 "path":"/\\u001b[2J\\n\\u202etxt","action":"allow","status_code":200,"duration_ms":3}}""");

        assertThat(line).contains("/\\u001b[2J\\u000a\\u202etxt").doesNotContain("\u001b", "\n", "\u202e");
    }

    @Test
    void colours_only_when_asked_for() throws Exception {
        String coloured =
                new AuditPrinter(new Palette(true), ZoneOffset.UTC).line(new ObjectMapper().readTree(ALLOWED));

        assertThat(coloured).contains("\u001b[32mALLOW");
        assertThat(coloured.replaceAll("\u001b\\[\\d+m", "")).isEqualTo(plain(ALLOWED));
    }

    @Test
    void the_sink_parses_every_line_of_a_batch() throws Exception {
        List<String> ids = new ArrayList<>();
        ByteBuffer batch = ByteBuffer.wrap("{\"id\":1}\n{\"id\":2}\n".getBytes(StandardCharsets.UTF_8));

        try (AuditLines sink =
                new AuditLines(record -> ids.add(record.path("id").asText()))) {
            sink.write(batch);
        }

        assertThat(ids).containsExactly("1", "2");
        assertThat(batch.hasRemaining()).isFalse();
    }

    private static String plain(String record) throws JsonProcessingException {
        return new AuditPrinter(new Palette(false), ZoneOffset.UTC).line(new ObjectMapper().readTree(record));
    }
}
