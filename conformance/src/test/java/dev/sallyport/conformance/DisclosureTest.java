package dev.sallyport.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.transform.v1.TransformAction;
import dev.sallyport.transform.v1.TransformRequestRequest;
import dev.sallyport.transform.v1.TransformRequestResponse;
import dev.sallyport.transform.v1.TransformResponseRequest;
import dev.sallyport.transform.v1.TransformResponseResponse;
import dev.sallyport.transform.v1.TransformServiceGrpc;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a transform server of the operator's is shown of the credentials that {@code secrets} puts in. */
@Timeout(60)
class DisclosureTest {

    private static final String REAL = "r34l-credential-of-the-operator";
    private static final String MARKER = "SALLYPORT_REDACTED";
    private static final String SECRETS = """
            - name: secrets
              config:
                secrets:
                  - source: {type: env, var: TOKEN}
                    replace: {proxy_value: PLACEHOLDER}
                    rules: [{host: localhost}]
            """;

    @TempDir
    Path folder;

    /** Lets everything pass, and keeps what it was shown. */
    private static final class Shown extends TransformServiceGrpc.TransformServiceImplBase implements AutoCloseable {

        private final Queue<TransformRequestRequest> requests = new ConcurrentLinkedQueue<>();
        private final Queue<TransformResponseRequest> responses = new ConcurrentLinkedQueue<>();
        private final Server server;

        Shown() throws IOException {
            server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .addService(this)
                    .build()
                    .start();
        }

        @Override
        public void transformRequest(TransformRequestRequest asked, StreamObserver<TransformRequestResponse> to) {
            requests.add(asked);
            to.onNext(TransformRequestResponse.newBuilder()
                    .setAction(TransformAction.TRANSFORM_ACTION_CONTINUE)
                    .build());
            to.onCompleted();
        }

        @Override
        public void transformResponse(TransformResponseRequest asked, StreamObserver<TransformResponseResponse> to) {
            responses.add(asked);
            to.onNext(TransformResponseResponse.newBuilder()
                    .setAction(TransformAction.TRANSFORM_ACTION_CONTINUE)
                    .build());
            to.onCompleted();
        }

        String entry() {
            return """
                    - name: grpc
                      config: {name: house, target: "127.0.0.1:%s", allow_disclosure: false, send_response_body: true}
                    """.formatted(server.getPort());
        }

        @Override
        public void close() {
            server.shutdownNow();
        }
    }

    /** Sends what it was sent, in each place of a response. */
    private static TestResponse echo(ForwardedRequest request) {
        String credential = String.valueOf(request.header("Authorization"));
        return TestResponse.ok("it was " + credential + ".").header("X-Echo", "got " + credential);
    }

    private HttpResponse<String> ask(Gate gate, TestUpstream origin) throws Exception {
        InetSocketAddress tunnel = new InetSocketAddress(InetAddress.getLoopbackAddress(), gate.tunnelPort());
        try (HttpClient client =
                HttpClient.newBuilder().proxy(ProxySelector.of(tunnel)).build()) {
            URI uri = URI.create("http://localhost:" + URI.create(origin.url()).getPort() + "/");
            return client.send(
                    HttpRequest.newBuilder(uri)
                            .header("Authorization", "Bearer PLACEHOLDER")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void responsesAreShownWithoutTheCredentialThatWentOutInBothOrders() throws Exception {
        for (boolean secretsFirst : List.of(true, false)) {
            try (Shown shown = new Shown();
                    TestUpstream origin = TestUpstream.http(DisclosureTest::echo);
                    Gate gate = new Gate(
                            folder,
                            "",
                            secretsFirst ? SECRETS + shown.entry() : shown.entry() + SECRETS,
                            Map.of("TOKEN", REAL))) {
                HttpResponse<String> answer = ask(gate, origin);

                assertThat(origin.requests())
                        .singleElement()
                        .satisfies(
                                sent -> assertThat(sent.header("Authorization")).isEqualTo("Bearer " + REAL));
                assertThat(shown.requests)
                        .singleElement()
                        .satisfies(request -> assertThat(request.getRequest()
                                        .getHeadersOrThrow("Authorization")
                                        .getValuesList())
                                .containsExactly(secretsFirst ? "***" : "Bearer PLACEHOLDER"));
                assertThat(shown.responses).singleElement().satisfies(response -> {
                    assertThat(response.toString()).doesNotContain(REAL);
                    assertThat(response.getResponse()
                                    .getHeadersOrThrow("X-Echo")
                                    .getValues(0))
                            .startsWith("got ")
                            .doesNotContain(REAL)
                            .matches(".*(" + MARKER + "|PLACEHOLDER)");
                    assertThat(response.getResponse().getBody().toStringUtf8())
                            .matches("it was Bearer (" + MARKER + "|PLACEHOLDER)\\.");
                });
                assertThat(answer.body()).doesNotContain(REAL).startsWith("it was Bearer ");
                assertThat(answer.headers().toString()).doesNotContain(REAL);
            }
        }
    }
}
