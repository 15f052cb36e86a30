package dev.sallyport.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With {@code proxy.tunnel_denials: inside} clients hand out why the allowlist refused the host of their tunnel. */
class TunnelDenialsTest {

    @TempDir
    Path folder;

    private Gate gate;

    @BeforeEach
    void start() throws Exception {
        gate = new Gate(folder, "", """
                - name: allowlist
                  config:
                    rules:
                      - {host: allowed.test}
                - name: secrets
                  config:
                    secrets:
                      - source: {type: env, var: TOKEN}
                        replace: {proxy_value: PLACEHOLDER_TOKEN, match_headers: [Authorization]}
                        rules:
                          - {host: "*"}
                """, Map.of("TOKEN", "the-real-token", "SALLYPORT_PROXY_TUNNEL_DENIALS", "inside"));
    }

    @AfterEach
    void stop() {
        gate.close();
    }

    @Test
    void python() throws Exception {
        assumeTrue(Programs.work("python3", "--version"), "Python is not installed");
        copy("client.py");
        expect(List.of("python3", "client.py"), "http/1.1");
    }

    @Test
    void pythonRequests() throws Exception {
        assumeTrue(Programs.work("python3", "-c", "import requests"), "requests is not installed");
        copy("client_requests.py");
        expect(List.of("python3", "client_requests.py"), "http/1.1");
    }

    @Test
    void nodeWithHttp11() throws Exception {
        node("h1", "http/1.1");
    }

    @Test
    void nodeWithHttp2() throws Exception {
        node("h2", "h2");
    }

    private void node(String version, String protocol) throws Exception {
        assumeTrue(Programs.work("node", "--version"), "Node is not installed");
        copy("client.mjs");
        expect(List.of("node", "client.mjs"), protocol, version);
    }

    /** Go compiles its own library the first time, which may take minutes: that is over before the client starts. */
    @Tag("long")
    @Test
    void goWithHttp2() throws Exception {
        assumeTrue(Programs.work("go", "version"), "Go is not installed");
        copy("client.go");
        Programs.prepare(folder, List.of("go", "build", "-o", "client", "client.go"));
        expect(List.of(folder.resolve("client").toString()), "h2", "h2");
    }

    private void copy(String name) throws Exception {
        try (var source = getClass().getResourceAsStream("/clients/" + name)) {
            Files.copy(source, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private void expect(List<String> client, String protocol, String... last) throws Exception {
        List<String> line = new ArrayList<>(client);
        line.addAll(
                List.of(String.valueOf(gate.tunnelPort()), "443", gate.caFile().toString()));
        line.addAll(List.of(last));

        assertThat(Programs.run(folder, line))
                .startsWith("403 {")
                .contains("destination_not_allowed", "Tunnels to localhost are not allowed.", "allowlist");

        JsonNode record = gate.record();
        assertThat(record.get("rejected_by").asText()).isEqualTo("allowlist");
        // No transform has seen the request, so none has put a credential in.
        assertThat(record.toString()).doesNotContain("swapped");
        JsonNode audit = record.get("audit");
        assertThat(audit.get("action").asText()).isEqualTo("reject");
        assertThat(audit.get("method").asText()).isEqualTo("POST");
        assertThat(audit.get("protocol").asText()).isEqualTo(protocol);
        assertThat(audit.get("status_code").asInt()).isEqualTo(403);
        assertThat(audit.get("upstream_addr").asText()).isEmpty();
    }
}
