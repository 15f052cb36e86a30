package dev.sallyport.it.attack;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The addresses that are denied unless the operator says otherwise, in all their spellings (docs/spec/decisions.md,
 * section 12).
 */
class DeniedAddressTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.9.9.9",
                "127.0.0.1.",
                "localhost",
                "localhost.",
                "LOCALHOST",
                "any.name.localhost",
                "0.0.0.0",
                "[::]",
                "[::1]",
                "[0:0:0:0:0:0:0:1]",
                "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]",
                "[::ffff:0.0.0.0]",
                "[64:ff9b::7f00:1]",
                "[64:ff9b::127.0.0.1]",
                "[2002:7f00:1::]",
                "169.254.169.254",
                "169.254.169.254.",
                "[::ffff:a9fe:a9fe]",
                "[64:ff9b::a9fe:a9fe]",
                "[fd00:ec2::254]",
            })
    void isNotDialled(String host) throws Exception {
        assertThat(answer(host)).startsWith("HTTP/1.1 502 ").contains("upstream_denied");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "127.1",
                "2130706433",
                "0x7f000001",
                "0x7f.1",
                "0177.0.0.1",
                "127.0.0.01",
                "127.0.0.1..",
                "2852039166",
                "[::1%25lo]",
                "[fe80::1%lo]",
                "[127.0.0.1]",
                "\u00B927.0.0.1",
            })
    void isNoHostAtAll(String host) throws Exception {
        assertThat(answer(host)).startsWith("HTTP/1.1 400 ");
    }

    /** What a name resolves to is for the operator alone. */
    @Test
    void theRecordAloneSaysWhichAddressIsInWhichRange() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("upstream_deny_cidrs: [127.0.0.0/8, '::1/128']")
                        .start();
                Wire client = proxy.http()) {
            // when
            client.send(head("GET / HTTP/1.1", "Host: localhost:9"));
            Wire.Message answer = client.message();

            // then
            assertThat(answer.head() + answer.body())
                    .contains("The address of the upstream may not be dialled.")
                    .doesNotContain("127.0.0", "::1", "upstream_deny_cidrs");
            assertThat(proxy.record().path("error").asText())
                    .matches("upstream_denied: localhost:9: (127\\.0\\.0\\.1 is in 127\\.0\\.0\\.0/8|::1 is in ::1/128)"
                            + " of proxy\\.upstream_deny_cidrs");
        }
    }

    @Test
    void ownListenersAreNotDialledWhateverIsAllowed() throws Exception {
        try (TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            // when
            client.send(head(
                    "GET / HTTP/1.1",
                    "Host: localhost:" + proxy.proxy().httpAddress().getPort()));

            // then
            assertThat(client.message().body()).contains("upstream_denied");
        }
    }

    private String answer(String host) throws Exception {
        try (TestOrigin origin = TestOrigin.answering(TestOrigin.ok("reached"));
                TestProxy proxy = TestProxy.builder(folder)
                        .proxyLines("sni_upstream_port: 443")
                        .start();
                Wire client = proxy.http()) {
            String port = origin.authority().substring(origin.authority().lastIndexOf(':'));
            client.send(head("GET / HTTP/1.1", "Host: " + host + port));
            Wire.Message answer = client.message();
            assertThat(origin.connections()).isZero();
            return answer.head() + answer.body();
        }
    }
}
