package dev.sallyport.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.server.terminal.Palette;
import java.time.LocalDate;
import java.time.ZoneOffset;
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
    void each_day_but_today_has_a_line() {
        // given: a record of today, then one of the day after, another of that day, and a line that is no record
        AuditPrinter printer = new AuditPrinter(new Palette(false), ZoneOffset.UTC, LocalDate.of(2026, 11, 21));
        String next = ALLOWED.replace("2026-11-21", "2026-11-22");

        String shown = String.join(
                "\n", printer.dated(ALLOWED), printer.dated(next), printer.dated(next), printer.dated("torn"));

        assertThat(shown.lines().filter(line -> !line.startsWith("    ")))
                .containsExactly(
                        "09:30:01.250  ALLOW   200  GET api.demo.test:9443/v1/hello?a=b  13 ms",
                        "-- 2026-11-22",
                        "09:30:01.250  ALLOW   200  GET api.demo.test:9443/v1/hello?a=b  13 ms",
                        "09:30:01.250  ALLOW   200  GET api.demo.test:9443/v1/hello?a=b  13 ms",
                        "torn");
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
    void a_secret_of_the_control_plane_is_shown_by_its_name() throws Exception {
        assertThat(plain(ALLOWED.replace("DEMO_API_KEY", "org_01abc/sec_01def/DEMO_API_KEY")))
                .endsWith("\n    secrets: swapped DEMO_API_KEY in header:Authorization, path");
    }

    @Test
    void a_fingerprint_is_shown_beside_the_name() throws Exception {
        assertThat(plain(ALLOWED.replace("\"secret\":", "\"fingerprint\":\"0123456789abcdef\",\"secret\":")))
                .endsWith("\n    secrets: swapped DEMO_API_KEY (0123456789abcdef) in header:Authorization, path");
    }

    @Test
    void a_credential_without_a_name_is_shown_by_its_places() throws Exception {
        String swapped =
                "\"swapped\":[\n   {\"secret\":\"DEMO_API_KEY\",\"locations\":[\"header:Authorization\",\"path\"]}]";
        assertThat(ALLOWED).contains(swapped);
        String record = ALLOWED.replace("\"secrets\"", "\"aws_auth\"")
                .replace(swapped, "\"injected\":[\"header:Authorization\",\"header:X-Amz-Security-Token\"]");

        assertThat(plain(record)).endsWith("""
                13 ms
                    aws_auth: injected in header:Authorization
                    aws_auth: injected in header:X-Amz-Security-Token""");
    }

    @Test
    void what_the_chain_says_of_itself() {
        assertThat(lines("""
                {"time":"2026-11-21T09:30:01.250Z","level":"WARN","msg":"sealed","schema_version":1,"seq":5,\
                "sealed":{"lines":1,"bytes":20},"prev":"00"}""")).isEqualTo("09:30:01.250  SEALED  {\"lines\":1,\"bytes\":20}");
    }

    @Test
    void a_line_that_is_no_record_is_shown_without_its_control_characters() {
        assertThat(lines("{\"time\":\"20\u001b[2J")).isEqualTo("{\"time\":\"20\\u001b[2J");
        assertThat(lines("17")).isEqualTo("17");
    }

    private static String lines(String line) {
        return new AuditPrinter(new Palette(false), ZoneOffset.UTC).line(line);
    }

    private static String plain(String record) throws JsonProcessingException {
        return new AuditPrinter(new Palette(false), ZoneOffset.UTC).line(new ObjectMapper().readTree(record));
    }
}
