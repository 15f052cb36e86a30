package dev.sallyport.server.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What can be told from the log of a proxy that is starting. */
class StartLogTest {

    @Test
    void ports_are_read_once_it_is_ready() throws IOException {
        StartLog log = log(
                "2026-11-22T17:24:18.061Z INFO  DnsServer: listening on 127.0.0.1:37563 (dns.listen)",
                "2026-11-22T17:24:18.100Z INFO  ControlPlane: control plane at http://127.0.0.1:40111",
                "2026-11-22T17:24:18.119Z INFO  Listeners: listening on [::1]:41871 (tunnel_listen)",
                "2026-11-22T17:24:18.141Z INFO  Server: ready after 1033 ms: allowlist");

        assertThat(log.ready()).isTrue();
        assertThat(log.port("dns.listen")).isEqualTo(37563);
        assertThat(log.port("tunnel_listen")).isEqualTo(41871);
        assertThat(log.controlPlane()).isEqualTo("http://127.0.0.1:40111");
        assertThatThrownBy(() -> log.port("metrics.listen"))
                .isInstanceOf(IOException.class)
                .hasMessage("the proxy did not log where metrics.listen is");
    }

    @Test
    void a_line_that_is_being_written_is_not_read() {
        StartLog log =
                StartLog.of("2026-11-22T17:24:18.119Z INFO  Listeners: listening on 127.0.0.1:41871 (tunnel_listen)\n"
                        + "2026-11-22T17:24:18.141Z INFO  Server: ready after 10");

        assertThat(log.ready()).isFalse();
    }

    @Test
    void the_complaint_is_the_first_line_that_is_one() {
        StartLog log = log(
                "Picked up JAVA_TOOL_OPTIONS: -Xss1m",
                "2026-11-22T17:24:18.061Z INFO  DnsServer: listening on 127.0.0.1:37563 (dns.listen)",
                "sallyport: tunnel_listen 127.0.0.1:41871: the port is taken",
                "[0.512s][warning][aot] no archive is left",
                "Picked up JAVA_TOOL_OPTIONS: -Xss1m");

        assertThat(log.ready()).isFalse();
        assertThat(log.complaint()).isEqualTo("sallyport: tunnel_listen 127.0.0.1:41871: the port is taken");
    }

    @Test
    void a_log_without_a_complaint_gives_its_last_line() {
        assertThat(log("Picked up JAVA_TOOL_OPTIONS: -Xss1m", "[0.512s][error][aot] a")
                        .complaint())
                .isEqualTo("[0.512s][error][aot] a");
        assertThat(log().complaint()).isEqualTo("it logged nothing");
    }

    private static StartLog log(String... lines) {
        return StartLog.of(lines.length == 0 ? "" : String.join("\n", lines) + "\n");
    }
}
