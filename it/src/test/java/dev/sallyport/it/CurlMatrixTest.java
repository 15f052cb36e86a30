package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.Decision;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Tools;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every way into the tunnel listener with curl: CONNECT, absolute form, SOCKS5; plain and TLS, with the proxy too; with and
 * without users.
 */
@Timeout(120)
class CurlMatrixTest {

    @TempDir
    Path folder;

    private static List<String> way(String way, int port, Path authority) {
        return switch (way) {
            case "connect" -> List.of("-p", "-x", "http://127.0.0.1:" + port);
            case "http" -> List.of("-x", "http://127.0.0.1:" + port);
            case "connect-tls" ->
                List.of("-p", "-x", "https://127.0.0.1:" + port, "--proxy-cacert", authority.toString());
            case "http-tls" -> List.of("-x", "https://127.0.0.1:" + port, "--proxy-cacert", authority.toString());
            case "socks5" -> List.of("--socks5", "127.0.0.1:" + port);
            case "socks5-hostname" -> List.of("--socks5-hostname", "127.0.0.1:" + port);
            default -> throw new IllegalArgumentException(way);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "connect, false, off",
        "connect, false, required",
        "connect, true, off",
        "connect, true, optional",
        "connect, true, required",
        "http, false, off",
        "http, false, optional",
        "http, false, required",
        "connect-tls, false, off",
        "connect-tls, true, required",
        "http-tls, false, required",
        "socks5, false, off",
        "socks5, false, required",
        "socks5, true, optional",
        "socks5, true, required",
        "socks5-hostname, false, off",
        "socks5-hostname, false, required",
        "socks5-hostname, true, off",
        "socks5-hostname, true, optional",
        "socks5-hostname, true, required"
    })
    void curl(String way, boolean tls, String auth) throws Exception {
        Tools.require("curl");
        TestCertificates certificates = new TestCertificates(folder);
        List<String> lines = new ArrayList<>(List.of("upstream_deny_cidrs: []"));
        if (!auth.equals("off")) {
            lines.add("auth:");
            lines.add("  required: " + auth.equals("required"));
            lines.add("  users: [{name: alice, password: {type: test, name: ALICE}}]");
        }
        TestOrigin.Script script = TestOrigin.always(TestOrigin.ok("hello"));
        try (TestOrigin origin = tls ? TestOrigin.tls(certificates.origin, script) : TestOrigin.of(script);
                TestProxy proxy = TestProxy.builder(folder)
                        .certificates(certificates)
                        .catalog(PluginCatalog.of(List.of(), List.of(new TestSecrets().set("ALICE", "pass:word"))))
                        .proxyLines(lines.toArray(String[]::new))
                        .transform(
                                "paths",
                                request -> request.head().path().equals("/denied")
                                        ? Decision.reject(403, "no_entry", "Not this path.")
                                        : Decision.proceed())
                        .start()) {
            String url = (tls ? "https" : "http") + "://localhost:" + origin.port();
            List<String> base = new ArrayList<>(List.of("-4", "--cacert", certificates.caCert.toString()));
            base.addAll(way(way, proxy.proxy().tunnelAddress().getPort(), certificates.caCert));

            List<String> right = new ArrayList<>(base);
            right.addAll(List.of("--proxy-user", "alice:pass:word", url + "/a"));
            assertThat(Tools.tryCurl(right)).isEqualTo("hello");
            JsonNode record = proxy.record().get("audit");
            assertThat(record.get("workload").asText()).isEqualTo(auth.equals("off") ? "" : "user:alice");
            assertThat(record.get("host").asText()).isEqualTo("localhost");

            right.set(right.size() - 1, url + "/denied");
            assertThat(Tools.tryCurl(right)).contains("no_entry");
            assertThat(proxy.record().get("rejected_by").asText()).isEqualTo("paths");

            List<String> wrong = new ArrayList<>(base);
            wrong.addAll(List.of("--proxy-user", "alice:mistyped", url + "/b"));
            assertThat(Tools.tryCurl(wrong).equals("hello")).isEqualTo(auth.equals("off"));
            assertRecorded(proxy.record(), auth.equals("off"));

            List<String> anonymous = new ArrayList<>(base);
            anonymous.add(url + "/c");
            assertThat(Tools.tryCurl(anonymous).equals("hello")).isEqualTo(!auth.equals("required"));
            assertRecorded(proxy.record(), !auth.equals("required"));

            assertThat(proxy.closeAndRecords())
                    .hasSize(4)
                    .noneMatch(each -> each.toString().contains("pass:word")
                            || each.toString().contains("mistyped"));
        }
    }

    private static void assertRecorded(JsonNode record, boolean allowed) {
        assertThat(record.get("audit").get("action").asText()).isEqualTo(allowed ? "allow" : "reject");
        assertThat(record.get("audit").get("status_code").asInt()).isEqualTo(allowed ? 200 : 407);
        assertThat(record.get("audit").get("workload").asText()).isEmpty();
    }
}
