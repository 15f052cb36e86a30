package dev.sallyport.transforms.svcacctauth;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.config.ConfigLoader;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.spi.Admission;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.ForwardedRequest;
import dev.sallyport.testkit.JdkCaller;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.TransformHarness;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/proxy-config.md, section "svcacct_auth"; docs/spec/decisions.md, sections 3, 6 and 7. */
class SvcacctAuthTest {

    private static final String URL = "https://storage.googleapis.com/storage/v1/b";
    private static final String STUB =
            "{\"access_token\":\"sallyport-stub-token\",\"expires_in\":3600,\"token_type\":\"Bearer\"}";

    private final AccountServer server = new AccountServer();
    private final TestUpstream issuer = TestUpstream.http(server);
    private final JdkCaller caller = new JdkCaller();
    private final JsonObject key = KeyFiles.REAL.json(issuer.url() + "/token");
    private final FakeSecrets secrets = new FakeSecrets();
    private String credentials = "keyfile: {type: fake, name: KEY}";
    private String more = "";

    @AfterEach
    void close() {
        caller.close();
        issuer.close();
    }

    private TransformHarness.Builder builder() {
        secrets.set("KEY", key.toString());
        return harness("{" + credentials + ", scopes: [scope-one, scope-two]" + more + "}");
    }

    private TransformHarness.Builder harness(String config) {
        return TransformHarness.of("""
                        transforms:
                          - name: svcacct_auth
                            config: %s
                        """.formatted(config)).secrets(secrets).http(caller);
    }

    /** docs/spec/decisions.md, section 17: records repeat the name that the file has. */
    @Test
    void recordsHaveTheNameOfTheFile() {
        secrets.set("KEY", key.toString());
        String entry = "transforms: [{name: gcp_auth, config: {" + credentials + ", scopes: [scope-one]}}]";
        try (TransformHarness harness =
                TransformHarness.of(entry).secrets(secrets).http(caller).start()) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .hasForwardedHeader("Authorization", "Bearer ya29.minted-token-1")
                    .hasAnnotation("gcp_auth", "service_account", KeyFiles.EMAIL)
                    .hasNoAnnotations("svcacct_auth");
        }
    }

    private static TestRequest metadata(String path) {
        return TestRequest.get("http://metadata.google.internal" + path).header("metadata-flavor", "Google");
    }

    @ParameterizedTest
    @ValueSource(strings = {"keyfile", "keyfile_path"})
    void tokenOfTheAccountReplacesAuthorization(String kind, @TempDir Path folder) throws Exception {
        if (kind.equals("keyfile_path")) {
            credentials = "keyfile_path: '" + Files.writeString(folder.resolve("key.json"), key.toString()) + "'";
        }
        try (TransformHarness harness = builder().start()) {
            for (int i = 0; i < 2; i++) {
                assertThat(harness.send(TestRequest.get(URL).header("authorization", "Bearer sallyport-stub-token")))
                        .hasForwardedHeader("Authorization", "Bearer ya29.minted-token-1")
                        .hasAnnotation("svcacct_auth", "injected", List.of("header:Authorization"))
                        .hasAnnotation("svcacct_auth", "service_account", KeyFiles.EMAIL)
                        .doesNotShow("minted-token");
            }
        }
        assertThat(server.asked).hasValue(1);
        assertThat(server.claims.get("scope").getAsString()).isEqualTo("scope-one scope-two");
        assertThat(server.claims.has("sub")).isFalse();
    }

    @Test
    void accountActsForASubject() {
        more = ", subject: user@example.com";
        try (TransformHarness harness = builder().start()) {
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
        }
        assertThat(server.claims.get("sub").getAsString()).isEqualTo("user@example.com");
    }

    @Test
    void rulesSayWhereTheTokenGoes() {
        more = ", rules: [{host: storage.googleapis.com, methods: [GET]}]";
        try (TransformHarness harness = builder().start()) {
            assertThat(harness.send(TestRequest.of("DELETE", URL))).hasForwardedHeader("Authorization");
            assertThat(harness.send(TestRequest.get("https://other.googleapis.com/")))
                    .hasForwardedHeader("Authorization");
            assertThat(server.asked).hasValue(0);
            assertThat(harness.send(TestRequest.get(URL)))
                    .hasForwardedHeader("Authorization", "Bearer ya29.minted-token-1");
            // Stubs come before the rules.
            assertThat(harness.send(metadata("/computeMetadata/v1/project/project-id")))
                    .hasStatus(200);
            assertThat(harness.send(TestRequest.of("POST", "https://oauth2.googleapis.com/token")))
                    .hasStatus(200)
                    .hasAnnotation("svcacct_auth", "stubbed", "oauth2_token_endpoint");
        }
    }

    private static TestResponse refuseTheFirst(ForwardedRequest request) {
        return request.header("Authorization").endsWith("-1") ? TestResponse.status(401) : TestResponse.ok("done");
    }

    @Test
    void tokenThatAnApiRefusesIsMintedAgain() {
        try (TransformHarness harness =
                builder().upstream(SvcacctAuthTest::refuseTheFirst).start()) {
            ExchangeResult result = harness.send(TestRequest.get(URL));
            assertThat(result)
                    .hasStatus(200)
                    .hasForwardedHeader("Authorization", "Bearer ya29.minted-token-2")
                    .doesNotShow("minted-token");
            assertThat(result.responseAnnotations("svcacct_auth")).containsEntry("minted_again", true);
            assertThat(harness.meters().count("svcacct_auth.minted_again")).isOne();
        }
        assertThat(server.asked).hasValue(2);
    }

    /** Its signature would not fit the other token. */
    @Test
    void requestThatWasSignedIsNotSentOnceMore() {
        Capabilities signs = Capabilities.builder()
                .writes(Part.REQUEST_HEADERS)
                .effects(Effect.SIGNS)
                .build();
        InlineTransform signer = context -> Decision.proceed(Edits.builder()
                .setHeader("Signature", "of " + context.head().target())
                .build());
        try (TransformHarness harness = builder()
                .then("signer", signs, signer)
                .upstream(SvcacctAuthTest::refuseTheFirst)
                .start()) {
            assertThat(harness.send(TestRequest.get(URL))).hasStatus(401);
            assertThat(harness.send(TestRequest.get(URL))).hasStatus(200);
        }
    }

    @Test
    void tokenIsRenewedAheadOfItsEnd() {
        try (TransformHarness harness = builder().start()) {
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
            harness.time().advance(Duration.ofSeconds(3500));
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
            assertThat(server.asked).hasValue(1);
            harness.time().advance(Duration.ofSeconds(42));
            String used = "";
            for (int i = 0; i < 3000 && !used.endsWith("2"); i++) {
                used = harness.send(TestRequest.get(URL)).sent().header("Authorization");
            }
            assertThat(used).isEqualTo("Bearer ya29.minted-token-2");
        }
    }

    @Test
    void changedKeyIsUsedAndTheOldTokenGivenUp() {
        try (TransformHarness harness = builder().start()) {
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
            JsonObject other = KeyFiles.FAKE.json(issuer.url() + "/token");
            harness.rotate("KEY", other.toString());
            assertFails(harness, "invalid_grant");
            harness.rotate("KEY", "no key");
            assertFails(harness, "key_unusable");
            harness.rotate("KEY", key.toString());
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
        }
    }

    @Test
    void keyFileIsReadAgainForEachToken(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("key.json"), key.toString());
        credentials = "keyfile_path: '" + file + "'";
        try (TransformHarness harness = builder().start()) {
            Files.delete(file);
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
            harness.time().advance(Duration.ofHours(2));
            Files.writeString(file, KeyFiles.FAKE.json(issuer.url() + "/token").toString());
            assertFails(harness, "invalid_grant");
        }
    }

    private static void assertFails(TransformHarness harness, String reason) {
        ExchangeResult result = harness.send(TestRequest.get(URL));
        assertThat(result)
                .isRefused(502, "token_unavailable")
                .hasAnnotation("svcacct_auth", "rejected", "token_unavailable")
                .hasAnnotation("svcacct_auth", "error", reason)
                .doesNotShow("minted-token")
                .doesNotShow("PRIVATE KEY")
                .doesNotShow(AccountServer.TEXT);
        assertThat(result.body())
                .contains("\"detail\":\"No access token could be minted for the service account (" + reason + ").\"");
    }

    @ParameterizedTest
    @CsvSource({
        "400, invalid_scope, invalid_scope",
        "403, made_up, token_endpoint_http_403",
        "500, '', token_endpoint_http_500",
        "307, '', token_endpoint_http_307"
    })
    void refusalIs502AndAskedForOnce(int status, String code, String reason) {
        server.instead = request -> AccountServer.error(status, code).header("Location", issuer.url() + "/elsewhere");
        try (TransformHarness harness = builder().start()) {
            assertFails(harness, reason);
            assertFails(harness, reason);
        }
        assertThat(server.asked).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<html>text-of-the-endpoint</html>",
                "{\"token_type\":\"Bearer\"}",
                "{\"access_token\":\"a\",\"access_token\":\"minted-token\",\"expires_in\":10}",
                "{\"access_token\":\"minted-token\",\"expires_in\":10}{}",
                "{\"access_token\":\"minted-token\",\"x\":{\"a\":1,\"a\":2}}",
                "{\"access_token\":17,\"expires_in\":1}",
                "{\"access_token\":\"a\\nb\",\"expires_in\":10}"
            })
    void answerWithoutAUsableToken(String body) {
        server.instead = request -> TestResponse.ok(body);
        try (TransformHarness harness = builder().start()) {
            assertFails(harness, "token_endpoint_answer");
        }
    }

    @Test
    void issuerThatAsksForPeaceGetsIt() {
        server.instead = request -> TestResponse.status(429).header("Retry-After", "20");
        try (TransformHarness harness = builder().start()) {
            assertFails(harness, "token_endpoint_http_429");
            server.instead = null;
            harness.time().advance(Duration.ofSeconds(19));
            assertFails(harness, "token_endpoint_http_429");
            harness.time().advance(Duration.ofSeconds(1));
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
        }
    }

    @Test
    void nobodyIsThereOrNobodyAnswers() {
        TestUpstream gone = TestUpstream.http(server);
        gone.close();
        key.addProperty("token_uri", gone.url() + "/token");
        try (TransformHarness harness = builder().start()) {
            assertFails(harness, "token_endpoint_unreachable");
        }
        HttpCaller silent = call -> CompletableFuture.failedFuture(new TimeoutException());
        try (TransformHarness harness = builder().http(silent).start()) {
            assertFails(harness, "token_endpoint_timeout");
        }
    }

    @Test
    void missingKeyIs502UntilItIsThere() {
        TransformHarness.Builder builder = harness("{keyfile: {type: fake, name: LATE, optional: true}, scopes: [a]}");
        try (TransformHarness harness = builder.start()) {
            assertFails(harness, "credential_unavailable");
            harness.rotate("LATE", key.toString());
            assertThat(harness.send(TestRequest.get(URL))).isForwarded();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, https://oauth2.googleapis.com/token",
        "GET, https://oauth2.googleapis.com/token?a=b",
        "POST, https://www.googleapis.com/oauth2/v4/token",
        "POST, https://oauth2.googleapis.com:8443/token",
        "POST, https://www.googleapis.com:8443/oauth2/v4/token",
        "GET, http://metadata.google.internal:8080/computeMetadata/v1/instance/service-accounts/default/token",
        "GET, http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token",
        "GET, http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token?scopes=a",
        "GET, http://169.254.169.254/computeMetadata/v1/instance/service-accounts/robot@test-project.iam.gserviceaccount.com/token"
    })
    void placesWhereTokensAreIssuedAnswerWithThePlaceholder(String method, String url) {
        try (TransformHarness harness = builder().start()) {
            ExchangeResult result = harness.send(TestRequest.of(method, url).header("Metadata-Flavor", "Google"));
            assertThat(result).hasStatus(200).hasAnnotation("svcacct_auth", "stubbed", "oauth2_token_endpoint");
            assertThat(result.body()).isEqualTo(STUB);
            assertThat(result.headers().first("Content-Type")).isEqualTo("application/json");
            assertThat(result.headers().first("Metadata-Flavor")).isEqualTo(url.startsWith("http:") ? "Google" : null);
            assertThat(result.forwarded()).isNull();
        }
        assertThat(server.asked).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/                                                              | 200 | computeMetadata/",
                "/computeMetadata/v1                                            | 200 | instance/",
                "/computeMetadata/v1/instance                                   | 200 | service-accounts/",
                "/computeMetadata/v1/instance/service-accounts/                 | 200 | default/",
                "/computeMetadata/v1/instance/service-accounts/?recursive=true  | 200 | {\"default\":{\"aliases\":[\"default\"],\"email\":\"robot@test-project.iam.gserviceaccount.com\"",
                "/computeMetadata/v1/instance/service-accounts/default/?recursive=true | 200 | {\"aliases\":[\"default\"],\"email\":\"robot@test-project.iam.gserviceaccount.com\",\"scopes\":[\"https://www.googleapis.com/auth/cloud-platform\"]}",
                "/computeMetadata/v1/instance/service-accounts/default/         | 200 | aliases",
                "/computeMetadata/v1/instance/service-accounts/default/email    | 200 | robot@test-project.iam.gserviceaccount.com",
                "/computeMetadata/v1/instance/service-accounts/default/scopes   | 200 | https://www.googleapis.com/auth/cloud-platform",
                "/computeMetadata/v1/instance/service-accounts/default/identity?format=full | 400 | non-empty audience",
                "/computeMetadata/v1/instance/service-accounts/other/email      | 404 | Not found.",
                "/computeMetadata/v1/project/project-id                         | 200 | test-project",
                "/computeMetadata/v1/universe/universe-domain                   | 200 | googleapis.com",
                "/computeMetadata/v1/instance/zone                              | 404 | Not found."
            })
    void metadataServerTellsWhatLibrariesAskFor(String path, int status, String begin) {
        try (TransformHarness harness = builder().start()) {
            ExchangeResult result = harness.send(metadata(path));
            assertThat(result).hasStatus(status).hasAnnotation("svcacct_auth", "stubbed", "metadata_server");
            assertThat(result.body()).startsWith(begin);
            assertThat(result.headers().first("Metadata-Flavor")).isEqualTo("Google");

            ExchangeResult bare = harness.send(TestRequest.get("http://169.254.169.254" + path));
            assertThat(bare).hasStatus(403).hasAnnotation("svcacct_auth", "injected", null);
            assertThat(bare.forwarded()).isNull();
        }
    }

    @Test
    void otherPathsOfTheseHostsAreOrdinaryRequests() {
        try (TransformHarness harness = builder().start()) {
            for (String url : List.of(
                    "https://oauth2.googleapis.com/tokeninfo",
                    "https://www.googleapis.com/storage/v1/b",
                    "http://metadata.google.internal/computeMetadata/v1beta1/x")) {
                assertThat(harness.send(TestRequest.get(url)))
                        .hasForwardedHeader("Authorization", "Bearer ya29.minted-token-1");
            }
        }
    }

    /** Refuses everything that it is asked about. */
    private static final class Refusing implements InlineTransform {
        @Override
        public Decision decide(RequestContext context) {
            return Decision.reject(403, "refused", "Refused.");
        }

        @Override
        public Admission onConnect(ConnectContext context) {
            return Admission.refuse("refused", "Refused.");
        }
    }

    @Test
    void whatStandsAfterIsNotAskedAboutStubs() {
        try (TransformHarness harness =
                builder().then("refusing", Capabilities.none(), new Refusing()).start()) {
            assertThat(harness.send(metadata("/"))).hasStatus(200);
            for (String host : List.of("oauth2.googleapis.com", "metadata.google.internal", "169.254.169.254")) {
                assertThat(harness.connect(host + ":443").open()).isTrue();
            }
            assertThat(harness.connect("storage.googleapis.com:443").open()).isFalse();
        }
    }

    @Test
    void nothingIsMintedWhereCredentialsAreWithheld() {
        InlineTransform warning = context -> Decision.proceedWithoutCredentials();
        try (TransformHarness harness =
                builder().then("warning", Capabilities.none(), warning).start()) {
            assertThat(harness.send(TestRequest.get(URL)))
                    .hasForwardedHeader("Authorization")
                    .hasAnnotation("svcacct_auth", "skipped", "not_allowlisted");
        }
    }

    @Test
    void tokenDoesNotComeBackUnlessThatIsWanted() {
        for (String wanted : List.of("swapped", "off")) {
            more = ", redact_response: " + wanted;
            try (TransformHarness harness = builder()
                    .upstream(request -> TestResponse.ok(request.header("Authorization")))
                    .start()) {
                assertThat(harness.send(TestRequest.get(URL)).body())
                        .startsWith(wanted.equals("off") ? "Bearer ya29.minted-token-" : "Bearer sallyport-stub-token");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{scopes: [a]}                                                                          | ''",
                "{scopes: [a], keyfile: {type: fake, name: KEY}, keyfile_path: x}                       | ''",
                "{scopes: [a], keyfile: {type: fake, name: KEY}, credentials_provider: {type: workload_identity}} | ''",
                "{keyfile: {type: fake, name: KEY}}                                                     | /scopes",
                "{scopes: [], keyfile: {type: fake, name: KEY}}                                         | /scopes",
                "{scopes: ['a b'], keyfile: {type: fake, name: KEY}}                                    | /scopes/0",
                "{scopes: [a], subject: x@y, credentials_provider: {type: workload_identity}}           | /subject",
                "{scopes: [a], subject: '', keyfile: {type: fake, name: KEY}}                           | /subject",
                "{scopes: [a], credentials_provider: {type: other}}                                     | /credentials_provider/type",
                "{scopes: [a], credentials_provider: {}}                                                | /credentials_provider/type",
                "{scopes: [a], keyfile_path: /nonexistent/key.json}                                     | /keyfile_path",
                "{scopes: [a], keyfile: {type: fake, name: NONE}}                                       | /keyfile",
                "{scopes: [a], keyfile: {type: fake, name: KEY}, redact_response: perhaps}               | /redact_response"
            })
    void configurationErrorsSayWhere(String config, String pointer) {
        secrets.set("KEY", key.toString());
        List<ConfigProblem> problems = harness(config).problems();
        assertThat(problems)
                .singleElement()
                .satisfies(problem -> assertThat(problem.pointer()).endsWith("/config" + pointer));
    }

    /** Nothing is made for a check, and what the start would stumble over is told all the same. */
    @Test
    void aCheckTellsOfAKeyFileThatCannotBeRead(@TempDir Path folder) {
        String yaml = """
                        dns: {enabled: false}
                        proxy: {http_listen: "127.0.0.1:0", https_listen: disabled}
                        tls: {ca_cert: ca.crt, ca_key: ca.key}
                        transforms:
                          - name: svcacct_auth
                            config: {scopes: [a], keyfile_path: nowhere/key.json}
                        """;
        ConfigResult read = ConfigLoader.load("f.yaml", yaml, folder, Map.of(), EgressProxy.installedPlugins());

        assertThat(EgressProxy.check(read).problems())
                .anySatisfy(problem -> assertThat(problem)
                        .hasToString("f.yaml:6:41: /transforms/0/config/keyfile_path: "
                                + folder.resolve("nowhere/key.json")
                                + ": no such file (expected: a file that this user may read)"));
    }

    @ParameterizedTest
    @CsvSource({
        "type, authorized_user, type is not service_account",
        "type, '', type is not service_account",
        "client_email, '', missing: client_email",
        "private_key, '', missing: private_key",
        "private_key, garbage-s3cr3t, private_key cannot be read"
    })
    void keyThatIsNoneIsAConfigurationError(String field, String value, String message) {
        key.addProperty(field, value);
        assertKeyIsRefused(builder().problems(), message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no json s3cr3t", "[]", "{\"type\": "})
    void textThatIsNoKeyIsAConfigurationError(String text) {
        secrets.set("KEY", text);
        List<ConfigProblem> problems =
                harness("{keyfile: {type: fake, name: KEY}, scopes: [a]}").problems();
        assertKeyIsRefused(problems, "not a JSON object");
    }

    private static void assertKeyIsRefused(List<ConfigProblem> problems, String message) {
        assertThat(problems).singleElement().satisfies(problem -> {
            assertThat(problem.pointer()).endsWith("/config/keyfile");
            assertThat(problem.toString()).contains(message).doesNotContain("s3cr3t");
        });
    }

    @Test
    void withoutTlsNothingIsMintedForAnOriginThatIsFar() {
        TestRequest plaintext = TestRequest.get("http://storage.googleapis.com/storage/v1/b");
        try (TransformHarness harness = builder().far().start()) {
            assertThat(harness.send(plaintext)).isRefused(403, "plaintext_credential");
        }
        assertThat(server.asked).hasValue(0);
        more = ", allow_plaintext: true";
        try (TransformHarness harness = builder().far().start()) {
            assertThat(harness.send(plaintext)).hasForwardedHeader("Authorization", "Bearer ya29.minted-token-1");
        }
    }
}
