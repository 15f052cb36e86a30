package dev.sallyport.sources.aws;

import static dev.sallyport.sources.aws.AwsEndpoint.Answer.error;
import static dev.sallyport.sources.aws.AwsEndpoint.Answer.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.ReloadResult;
import dev.sallyport.core.StartException;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.testkit.SourceGate;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sources inside a proxy: its client carries the SDK's calls, values are renewed, kept and told about. */
@Timeout(60)
class WholeProxyTest {

    private static final List<SecretSourceFactory<?>> SOURCES =
            List.of(new CloudSmSourceFactory(), new CloudSsmSourceFactory());

    @TempDir
    Path folder;

    private SdkSettings settings;
    private AwsEndpoint endpoint;

    @BeforeEach
    void open() throws Exception {
        settings = SdkSettings.withCredentials();
        endpoint = new AwsEndpoint("eu-test-1", "secretsmanager");
    }

    @AfterEach
    void close() {
        endpoint.close();
        settings.close();
        assertThat(endpoint.faults()).isEmpty();
    }

    private String source(String more) {
        return "{type: cloud_sm, secret_id: prod/token, region: eu-test-1, endpoint: \"" + endpoint.url() + "\"" + more
                + "}";
    }

    /** Sends requests until they carry the value; all of them succeed, with a value that was right at some time. */
    private static void awaitValue(SourceGate gate, String before, String after) throws Exception {
        String seen = gate.send();
        while (!seen.equals(after)) {
            assertThat(seen).isEqualTo(before);
            seen = gate.send();
        }
    }

    @Test
    void requestsCarryTheNewValueOnceTheTtlHasPassedAndNoneFails() throws Exception {
        endpoint.always(value("{\"SecretString\": \"{\\\"token\\\": \\\"one\\\"}\"}"));

        try (SourceGate gate = new SourceGate(folder, SOURCES, source(", json_key: token, ttl: 50ms"), Map.of())) {
            assertThat(gate.send()).isEqualTo("one");
            endpoint.always(value("{\"SecretString\": \"{\\\"token\\\": \\\"two\\\"}\"}"));

            awaitValue(gate, "one", "two");
            assertThat(gate.send()).isEqualTo("two");
        }
    }

    @Test
    @Tag("long")
    void theLastValueStaysWhileTheServiceFails() throws Exception {
        endpoint.always(value("{\"SecretString\": \"one\"}"));

        try (SourceGate gate = new SourceGate(folder, SOURCES, source(", ttl: 50ms"), Map.of())) {
            int before = endpoint.calls().size();
            endpoint.always(error(400, "AccessDeniedException"));
            while (endpoint.calls().size() < before + 2) {
                assertThat(gate.send()).isEqualTo("one");
            }
            endpoint.always(value("{\"SecretString\": \"two\"}"));

            awaitValue(gate, "one", "two");
        }
    }

    @Test
    void aReloadKeepsTheValue() throws Exception {
        endpoint.always(value("{\"SecretString\": \"one\"}"));

        try (SourceGate gate = new SourceGate(folder, SOURCES, source(""), Map.of())) {
            endpoint.always(value("{\"SecretString\": \"two\"}"));

            assertThat(gate.reload()).isInstanceOf(ReloadResult.Reloaded.class);

            assertThat(gate.send()).isEqualTo("one");
            assertThat(endpoint.calls()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cloud_sm", "aws_sm"})
    void aSecretThatCannotBeReadStopsTheStartAtItsPlace(String type) throws Exception {
        endpoint.always(error(400, "AccessDeniedException"));

        String source = source("").replace("cloud_sm", type);
        try (EgressProxy proxy = SourceGate.proxy(folder, SOURCES, source, Map.of())) {
            StartException refused = catchThrowableOfType(StartException.class, proxy::start);

            assertThat(refused.problems())
                    .containsExactly("proxy.yaml:12:14: /transforms/0/config/token: " + type
                            + " prod/token in eu-test-1:"
                            + " access denied (expected: permission for secretsmanager:GetSecretValue, and for"
                            + " kms:Decrypt with the key that encrypts it)");
        }
    }

    @Test
    void whatIsWrongWithTheFieldsIsToldAtTheirPlaces() throws Exception {
        String strange = "{type: cloud_sm, secret_id: \"\", region: Ireland, endpoint: \"ftp://x\"}";

        try (EgressProxy proxy = SourceGate.proxy(folder, SOURCES, strange, Map.of())) {
            StartException refused = catchThrowableOfType(StartException.class, proxy::start);

            assertThat(refused.problems())
                    .containsExactly(
                            "proxy.yaml:12:42: /transforms/0/config/token/secret_id: not a valid AWS name"
                                    + " (expected: a name or ARN such as prod/github-token)",
                            "proxy.yaml:12:54: /transforms/0/config/token/region: not the name of a region (expected: a"
                                    + " name such as eu-west-1)",
                            "proxy.yaml:12:73: /transforms/0/config/token/endpoint: not an http or https URL with"
                                    + " only host, port and path (expected: a URL such as"
                                    + " https://vpce-0a1b.secretsmanager.eu-west-1.vpce.amazonaws.com)");
        }
    }

    @Test
    void aParameterIsReadTheSameWay() throws Exception {
        try (AwsEndpoint parameters = new AwsEndpoint("eu-test-1", "ssm")) {
            parameters.always(value("{\"Parameter\": {\"Value\": \"one\"}}"));
            String source = "{type: cloud_ssm, name: /prod/token, region: eu-test-1, endpoint: \"" + parameters.url()
                    + "/gateway\"}";

            try (SourceGate gate = new SourceGate(folder, SOURCES, source, Map.of())) {
                assertThat(gate.send()).isEqualTo("one");
            }
            assertThat(parameters.calls())
                    .singleElement()
                    .satisfies(call -> assertThat(
                                    call.body().path("WithDecryption").asBoolean())
                            .isTrue());
            assertThat(parameters.faults()).isEmpty();
        }
    }
}
