package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testsupport.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSockets without TLS, into whose messages an entry may put its value (docs/spec/decisions.md, section 6). */
class PlaintextMessagesTest {

    /** Neither near nor one to which a TCP connection could be made: the kernel refuses it on this machine. */
    private static final String FAR = "224.0.0.1";

    private static final String REAL = "r34l-credential-of-the-operator";

    @TempDir
    Path folder;

    private final ByteArrayOutputStream audit = new ByteArrayOutputStream();

    private EgressProxy proxy(String host, String more) throws Exception {
        FakeSecrets values = new FakeSecrets().set("TOKEN", REAL);
        String entry = Proxies.entry("{type: fake, name: TOKEN}", more).replace("api.localhost", host);
        return Proxies.start(folder, audit, values, "", List.of(entry));
    }

    /** The handshake has nothing that would be swapped: only messages could. */
    private static String open(EgressProxy proxy) throws IOException {
        try (Wire client = Wire.to(proxy.httpAddress())) {
            Wire.Message answer = client.send(
                            "GET /socket HTTP/1.1\r\nHost: " + FAR + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                    .response();
            return answer.head() + answer.body();
        }
    }

    private String audited() {
        return audit.toString(StandardCharsets.UTF_8);
    }

    @Test
    void isRefusedWhereTheOriginIsFar() throws Exception {
        try (EgressProxy proxy = proxy(FAR, "")) {
            assertThat(open(proxy))
                    .startsWith("HTTP/1.1 403 ")
                    .contains("\"code\":\"plaintext_credential\"", "\"transform\":\"secrets\"");
        }
        assertThat(audited())
                .contains("\"rejected_by\":\"secrets\"", "plaintext_credential")
                .doesNotContain(REAL);
    }

    /** What gets so far as to be dialled fails there. */
    @ParameterizedTest
    @ValueSource(strings = {FAR, "api.localhost"})
    void isDialledWhereTheEntryAllowsItAndWhereItHasNoEntry(String host) throws Exception {
        try (EgressProxy proxy = proxy(host, host.equals(FAR) ? ", allow_plaintext: true" : "")) {
            assertThat(open(proxy)).startsWith("HTTP/1.1 502 ").contains("\"code\":\"upstream_unreachable\"");
        }
        assertThat(audited()).doesNotContain("plaintext_credential", REAL);
    }
}
