package dev.sallyport.transforms.svcacctauth;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.JdkCaller;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.TransformHarness;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code gcp_id_token}: docs/spec/decisions.md, section 17. */
class GcpIdTokenTest {

    private static final String AUDIENCE = "https://service-abc.a.run.app";
    private static final String URL = AUDIENCE + "/orders";
    private static final String IDENTITY = "/computeMetadata/v1/instance/service-accounts/default/identity";

    private final AccountServer server = new AccountServer();
    private final TestUpstream issuer = TestUpstream.http(server);
    private final JdkCaller caller = new JdkCaller();
    private final JsonObject key = KeyFiles.REAL.json(issuer.url() + "/token");
    private final FakeSecrets secrets = new FakeSecrets().set("KEY", key.toString());

    @AfterEach
    void close() {
        caller.close();
        issuer.close();
    }

    private TransformHarness.Builder harness(String more) {
        return entry("keyfile: {type: fake, name: KEY}, audience: \"" + AUDIENCE
                + "\", rules: [{host: \"*.a.run.app\"}]" + more);
    }

    private TransformHarness.Builder entry(String config) {
        return TransformHarness.of("transforms: [{name: gcp_id_token, config: {" + config + "}}]")
                .secrets(secrets)
                .http(caller);
    }

    @ParameterizedTest
    @CsvSource({
        "'', Authorization",
        "', header: authorization', Authorization",
        "', header: X-Serverless-Authorization', X-Serverless-Authorization",
        "', header: x-serverless-authorization', X-Serverless-Authorization"
    })
    void tokenForTheAudienceIsPutIn(String more, String header) {
        try (TransformHarness harness = harness(more).start()) {
            for (int i = 0; i < 2; i++) {
                ExchangeResult result = harness.send(TestRequest.get(URL).header(header, "Bearer placeholder"));
                assertThat(result)
                        .hasForwardedHeader(header, "Bearer " + server.idToken(1))
                        .hasAnnotation("gcp_id_token", "injected", List.of("header:" + header))
                        .hasAnnotation("gcp_id_token", "service_account", KeyFiles.EMAIL)
                        .doesNotShow(server.idToken(1));
            }
        }
        assertThat(server.asked).hasValue(1);
        assertThat(server.claims.get("target_audience").getAsString()).isEqualTo(AUDIENCE);
        assertThat(server.claims.has("scope")).isFalse();
    }

    @Test
    void tokenThatAServiceRefusesIsMintedAgain() {
        String first = "Bearer " + server.idToken(1);
        try (TransformHarness harness = harness("")
                .upstream(request -> request.header("Authorization").equals(first)
                        ? TestResponse.status(401)
                        : TestResponse.ok("done"))
                .start()) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .hasStatus(200)
                    .hasForwardedHeader("Authorization", "Bearer " + server.idToken(2));
        }
        try (TransformHarness harness = harness(", retry_unauthorized: false")
                .upstream(request -> TestResponse.status(401))
                .start()) {
            assertThat(harness.send(TestRequest.get(URL))).hasStatus(401);
        }
    }

    @Test
    void otherDestinationsGetNone() {
        try (TransformHarness harness = harness("").start()) {
            assertThat(harness.send(TestRequest.get("https://elsewhere.example/")))
                    .hasForwardedHeader("Authorization");
            // Where access tokens are issued is nothing to this transform.
            assertThat(harness.send(TestRequest.of("POST", "https://oauth2.googleapis.com/token")))
                    .isForwarded();
        }
        assertThat(server.asked).hasValue(0);
    }

    @Test
    void keyIsReadFromAFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("key.json"), key.toString());
        try (TransformHarness harness = entry(
                        "keyfile_path: '" + file + "', audience: client-id, rules: [{host: \"*.a.run.app\"}]")
                .start()) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .hasForwardedHeader("Authorization", "Bearer " + server.idToken(1));
        }
        assertThat(server.claims.get("target_audience").getAsString()).isEqualTo("client-id");
    }

    @Test
    void tokenIsRenewedAheadOfItsEnd() {
        try (TransformHarness harness = harness("").start()) {
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
            harness.time().advance(Duration.ofSeconds(3560));
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
            Awaitility.await().until(() -> server.asked.get() >= 2);
        }
    }

    @Test
    void manyWhoWaitShareOneCall() throws Exception {
        CountDownLatch all = new CountDownLatch(1);
        server.before = () -> {
            try {
                all.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        try (TransformHarness harness = harness("").start()) {
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                clients.add(Thread.ofVirtual()
                        .start(() ->
                                assertThat(harness.send(TestRequest.get(URL))).isForwarded()));
            }
            Awaitility.await().until(() -> server.asked.get() > 0);
            all.countDown();
            for (Thread client : clients) {
                client.join();
            }
        }
        assertThat(server.asked).hasValue(1);
    }

    @Test
    void aTokenThatCannotBeHadIs502() {
        server.instead = request -> AccountServer.error(400, "invalid_grant");
        try (TransformHarness harness = harness("").start()) {
            ExchangeResult result = harness.send(TestRequest.get(URL));
            assertThat(result)
                    .isRefused(502, "token_unavailable")
                    .hasAnnotation("gcp_id_token", "error", "invalid_grant")
                    .doesNotShow(AccountServer.TEXT);
            assertThat(result.body()).contains("No ID token could be minted for the service account (invalid_grant).");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"access_token\":\"a\"}", "{\"id_token\":\"no.token\"}", "no JSON"})
    void anAnswerWithoutATokenIs502(String body) {
        server.instead = request -> TestResponse.ok(body);
        try (TransformHarness harness = harness("").start()) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .isRefused(502, "token_unavailable")
                    .hasAnnotation("gcp_id_token", "error", "token_endpoint_answer");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://metadata.google.internal", "http://169.254.169.254"})
    void identityEndpointAnswersWithAPlaceholderWithoutSignature(String host) {
        try (TransformHarness harness = harness("").start()) {
            ExchangeResult result = harness.send(
                    TestRequest.get(host + IDENTITY + "?audience=https%3A%2F%2Fservice-abc.a.run.app&format=full")
                            .header("Metadata-Flavor", "Google"));
            assertThat(result).hasStatus(200).hasAnnotation("gcp_id_token", "stubbed", "identity_endpoint");
            assertThat(result.headers().first("Metadata-Flavor")).isEqualTo("Google");
            String[] parts = result.body().split("\\.", -1);
            assertThat(parts).hasSize(3);
            assertThat(parts[2]).isEmpty();
            assertThat(json(parts[0]).get("alg").getAsString()).isEqualTo("none");
            JsonObject claims = json(parts[1]);
            assertThat(claims.get("aud").getAsString()).isEqualTo(AUDIENCE);
            assertThat(claims.get("email").getAsString()).isEqualTo(KeyFiles.EMAIL);
            assertThat(Instant.ofEpochSecond(claims.get("exp").getAsLong()))
                    .isEqualTo(
                            harness.time().clock().instant().plusSeconds(3600).truncatedTo(ChronoUnit.SECONDS));

            assertThat(harness.send(TestRequest.get(host + IDENTITY).header("Metadata-Flavor", "Google")))
                    .hasStatus(400);
            assertThat(harness.send(TestRequest.get(host + IDENTITY + "?audience=a")))
                    .hasStatus(403);
            assertThat(harness.send(TestRequest.get(host + IDENTITY.replace("identity", "token"))
                            .header("Metadata-Flavor", "Google")))
                    .hasStatus(404);
        }
        assertThat(server.asked).hasValue(0);
    }

    private static JsonObject json(String part) {
        return JsonParser.parseString(new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8))
                .getAsJsonObject();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "audience: a, rules: [{host: a.test}]                                                          | ",
                "keyfile: {type: fake, name: KEY}, keyfile_path: x, audience: a, rules: [{host: a.test}]       | ",
                "keyfile: {type: fake, name: KEY}, audience: a                                                 | /rules",
                "keyfile: {type: fake, name: KEY}, audience: a, rules: []                                      | /rules",
                "keyfile: {type: fake, name: KEY}, rules: [{host: a.test}]                                     | /audience",
                "keyfile: {type: fake, name: KEY}, audience: ' ', rules: [{host: a.test}]                      | /audience",
                "keyfile: {type: fake, name: KEY}, audience: a, header: Cookie, rules: [{host: a.test}]        | /header"
            })
    void whatCannotWorkIsTold(String config, String pointer) {
        assertThat(entry(config).problems())
                .extracting(ConfigProblem::pointer)
                .containsExactly("/transforms/0/config" + (pointer == null ? "" : pointer));
    }
}
