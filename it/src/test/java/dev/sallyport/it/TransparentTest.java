package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.testsupport.NetworkNamespace;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Tools;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections that the kernel brings ({@code proxy.transparent}; docs/spec/decisions.md, section 2), between two
 * network namespaces: a workload, and the host that is its gateway. Needs root, nft, ip, curl and bash.
 */
@Timeout(120)
class TransparentTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** From the rules that the guide shows. */
    private static final String REDIRECT = """
            table inet sallyport {
              chain prerouting {
                type nat hook prerouting priority dstnat; policy accept;
                iifname "gw" tcp dport 80 redirect to :18080
                iifname "gw" tcp dport { 443, 8080, 9443 } redirect to :18443
              }
            }
            """;

    private static final String TPROXY = """
            table inet sallyport {
              chain prerouting {
                type filter hook prerouting priority mangle; policy accept;
                iifname "gw" tcp dport 80 tproxy to :18080 meta mark set 1 accept
                iifname "gw" tcp dport { 443, 8080, 9443 } tproxy to :18443 meta mark set 1 accept
              }
            }
            """;

    @TempDir
    Path folder;

    private NetworkNamespace workload;
    private NetworkNamespace gateway;
    private Process host;
    private BufferedReader output;

    @BeforeEach
    void namespaces() throws Exception {
        Tools.require("nft", "curl", "bash");
        workload = NetworkNamespace.add("spw");
        gateway = NetworkNamespace.add("spg");
        workload.ip("link add wl type veth peer name gw netns " + gateway.name());
        workload.ip("addr add 10.99.1.2/24 dev wl");
        gateway.ip("addr add 10.99.1.1/24 dev gw");
        workload.ip("-6 addr add fd99:1::2/64 dev wl nodad");
        gateway.ip("-6 addr add fd99:1::1/64 dev gw nodad");
        gateway.ip("link set lo up");
        gateway.ip("link set gw up");
        workload.ip("link set wl up");
        workload.ip("route add default via 10.99.1.1");
        workload.ip("-6 route add default via fd99:1::1");
        // Addresses of origins, beside the gateway's own.
        gateway.ip("addr add 10.99.2.1/32 dev lo");
        gateway.ip("addr add " + TransparentHost.SERVER_FIRST + "/32 dev lo");
    }

    @AfterEach
    void remove() throws Exception {
        if (host != null) {
            host.getOutputStream().close();
            if (!host.waitFor(Patience.SECONDS, TimeUnit.SECONDS)) {
                host.destroyForcibly();
            }
        }
        for (NetworkNamespace each : new NetworkNamespace[] {workload, gateway}) {
            if (each != null) {
                each.close();
            }
        }
    }

    /** One of them in the plain build: what differs between them is tried by {@link #whatTheKernelBringsIsJudgedByItsNameAndDialledAtItsPort}. */
    static List<String> modes() {
        return Boolean.getBoolean("sallyport.full") ? List.of("redirect", "tproxy") : List.of("tproxy");
    }

    private void start(String mode) throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.nft"), mode.equals("tproxy") ? TPROXY : REDIRECT);
        Tools.run(gateway.command(List.of("nft", "-f", rules.toString())));
        if (mode.equals("tproxy")) {
            for (String family : List.of("-4", "-6")) {
                gateway.ip(family + " rule add fwmark 1 lookup 100");
                gateway.ip(family + " route add local default dev lo table 100");
            }
        }
        host = new ProcessBuilder(gateway.command(Tools.java(TransparentHost.class, folder.toString(), mode)))
                .redirectError(folder.resolve("stderr").toFile())
                .start();
        output = host.inputReader(StandardCharsets.UTF_8);
        String line = output.readLine();
        while (line != null && !line.equals("ready")) {
            line = output.readLine();
        }
        assertThat(line).as(() -> "the proxy of the gateway: " + stderr()).isEqualTo("ready");
    }

    private String stderr() {
        try {
            return Files.readString(folder.resolve("stderr"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private JsonNode record() throws IOException {
        String line = output.readLine();
        while (!line.startsWith("{")) {
            line = output.readLine();
        }
        return JSON.readTree(line).get("audit");
    }

    /** What curl in the workload's namespace gets; its connections go to this address whatever the URL says. */
    private String curl(String address, String... arguments) throws Exception {
        List<String> options =
                new ArrayList<>(List.of("--cacert", folder.resolve("ca.pem").toString()));
        if (!address.isEmpty()) {
            options.addAll(List.of("--connect-to", "::" + address + (address.matches(".*[^:\\]]:\\d+") ? "" : ":")));
        }
        options.addAll(List.of(arguments));
        return Tools.run(workload.command(Tools.curl(options)));
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"redirect", "tproxy"})
    void whatTheKernelBringsIsJudgedByItsNameAndDialledAtItsPort(String mode) throws Exception {
        start(mode);
        for (String address : List.of("10.99.2.1", "[fd99:1::1]")) {
            assertThat(curl(address, "http://localhost/a")).isEqualTo("80 GET /a HTTP/1.1 X-Saw: localhost:80");
            JsonNode record = record();
            assertThat(record.get("host").asText()).isEqualTo("localhost");
            assertThat(record.get("remote_addr").asText())
                    .startsWith(address.startsWith("[") ? "[fd99:1:" : "10.99.1.2:");

            assertThat(curl(address, "https://localhost/b")).isEqualTo("443 GET /b HTTP/1.1 X-Saw: localhost:443");
            assertThat(record().get("sni").asText()).isEqualTo("localhost");

            // Other ports, to a listener that would expect TLS: what they speak is seen.
            assertThat(curl(address, "http://localhost:8080/c"))
                    .isEqualTo("8080 GET /c HTTP/1.1 X-Saw: localhost:8080");
            record();
            assertThat(curl(address, "https://localhost:9443/d"))
                    .isEqualTo("9443 GET /d HTTP/1.1 X-Saw: localhost:9443");
            record();

            // The port that was dialled counts, whatever Host says.
            assertThat(curl(address, "-H", "Host: localhost", "http://localhost:8080/e"))
                    .isEqualTo("8080 GET /e HTTP/1.1 X-Saw: localhost:8080");
            record();

            assertThat(curl(address, "-o", "/dev/null", "-w", "%{http_code}", "https://localhost:9443/denied"))
                    .isEqualTo("403");
            assertThat(record().get("action").asText()).isEqualTo("reject");
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Tag("long")
    void withoutANameTheAddressIsTheDestination(String mode) throws Exception {
        start(mode);
        assertThat(curl("", "http://10.99.2.1:8080/a")).isEqualTo("8080 GET /a HTTP/1.1 X-Saw: 10.99.2.1:8080");
        assertThat(record().get("host").asText()).isEqualTo("10.99.2.1");

        assertThat(curl("", "--http1.0", "-H", "Host:", "http://10.99.2.1:8080/b"))
                .startsWith("8080 GET /b HTTP/1.1 X-Saw: 10.99.2.1:8080");
        record();

        // The leaf of TLS without a server name is for that address: curl checks it. The origin has none for it.
        assertThat(curl("", "-w", " %{http_code}", "https://10.99.2.1:9443/c"))
                .contains("upstream_tls_error")
                .endsWith(" 502");
        assertThat(record().get("host").asText()).isEqualTo("10.99.2.1");
    }

    /** Neither HTTP nor TLS is spoken there, and the policy has it relayed. */
    @ParameterizedTest
    @MethodSource("modes")
    @Tag("long")
    void aServerThatSpeaksFirstIsRelayed(String mode) throws Exception {
        start(mode);
        String script = "exec 3<>/dev/tcp/" + TransparentHost.SERVER_FIRST
                + "/8080; read -r first <&3; printf 'QUIT %s\n' \"$first\" >&3; cat <&3";

        assertThat(Tools.run(workload.command(List.of("bash", "-c", script)))).isEqualTo("250 QUIT 220 first\r\n");

        JsonNode record = record();
        assertThat(record.get("action").asText()).isEqualTo("allow");
        assertThat(record.get("protocol").asText()).isEqualTo("tcp");
        assertThat(record.get("host").asText()).isEqualTo(TransparentHost.SERVER_FIRST);
        assertThat(record.get("upstream_addr").asText()).isEqualTo(TransparentHost.SERVER_FIRST + ":8080");
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Tag("long")
    void whoeverMeansTheProxyItselfIsNotRedirected(String mode) throws Exception {
        start(mode);
        assertThat(curl("10.99.1.1:18080", "http://localhost:8080/a"))
                .isEqualTo("8080 GET /a HTTP/1.1 X-Saw: localhost:8080");
        assertThat(curl("10.99.1.1:18443", "https://localhost/b"))
                .isEqualTo("443 GET /b HTTP/1.1 X-Saw: localhost:443");
    }

    /** Whether it says something else than HTTP and TLS, or nothing at all. */
    @ParameterizedTest
    @CsvSource({
        "redirect, printf 'SSH-2.0-x\\r\\n' >&3; cat <&3",
        "redirect, exec 3>&-",
        "tproxy, printf 'SSH-2.0-x\\r\\n' >&3; cat <&3"
    })
    @Tag("long")
    void whatIsRefusedUnderAnAddressIsRecordedWithIt(String mode, String script) throws Exception {
        start(mode);

        Tools.run(
                workload.command(List.of("timeout", "20", "bash", "-c", "exec 3<>/dev/tcp/10.99.2.1/8080; " + script)));

        JsonNode record = record();
        assertThat(record.at("/action").asText()).isEqualTo("reject");
        assertThat(record.at("/host").asText()).isEqualTo("10.99.2.1");
    }
}
