package dev.sallyport.it.attack;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.it.TestProxy;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TRACE asks the origin to send the request back (RFC 9110, 9.3.8): it must not carry what the client may not see. */
class CredentialEchoTest {

    private static final InlineTransform INJECTS = request -> Decision.proceed(Edits.builder()
            .sensitive()
            .setHeader("Authorization", "Bearer r34l-credential")
            .build());

    @TempDir
    Path folder;

    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

    @ParameterizedTest
    @ValueSource(strings = {"TRACE", "trace"})
    void traceWithCredentialIsRefused(String method) throws Exception {
        try (TestOrigin origin = echo();
                TestProxy proxy =
                        TestProxy.builder(folder).transform("injects", INJECTS).start();
                Wire client = proxy.http()) {
            // when
            client.send(head(method + " / HTTP/1.1", "Host: " + origin.authority()));
            Wire.Message answer = client.message();

            // then
            assertThat(answer.head()).startsWith("HTTP/1.1 403 ");
            assertThat(answer.body()).contains("trace_with_credential").doesNotContain("r34l");
            assertThat(seen).isEmpty();
            assertThat(proxy.record().path("audit").path("action").asText()).isEqualTo("reject");
        }
    }

    @Test
    void traceWithoutCredentialPasses() throws Exception {
        try (TestOrigin origin = echo();
                TestProxy proxy = TestProxy.builder(folder).start();
                Wire client = proxy.http()) {
            // when
            client.send(head("TRACE /x HTTP/1.1", "Host: " + origin.authority()));

            // then
            assertThat(client.message().body()).startsWith("TRACE /x HTTP/1.1");
        }
    }

    /** In a field that the engine owns nothing can be put in its place. */
    @Test
    void aCredentialInAFieldOfTheEngineIsRefused() throws Exception {
        String answer = head("HTTP/1.1 200 OK", "Host: r34l-credential", "Content-Length: 4") + "fine";
        try (TestOrigin origin = TestOrigin.answering(answer);
                TestProxy proxy =
                        TestProxy.builder(folder).transform("injects", INJECTS).start();
                Wire client = proxy.http()) {
            client.send(head("GET / HTTP/1.1", "Host: " + origin.authority()));
            Wire.Message refused = client.message();

            assertThat(refused.status()).isEqualTo(502);
            assertThat(refused.body()).contains("credential_in_response");
            assertThat(refused.head() + refused.body()).doesNotContain("r34l");
            assertThat(proxy.record().toString()).contains("credential_in_response");
        }
    }

    private TestOrigin echo() throws Exception {
        return TestOrigin.of(peer -> {
            String request = peer.readHead();
            seen.add(request);
            peer.send(head("HTTP/1.1 200 OK", "Content-Length: " + request.length()) + request);
        });
    }
}
