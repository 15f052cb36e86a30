package dev.sallyport.sources.aws;

import static dev.sallyport.sources.aws.AwsEndpoint.Answer.error;
import static dev.sallyport.sources.aws.AwsEndpoint.Answer.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.testkit.JdkCaller;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The source {@code cloud_ssm}, against an endpoint that verifies signatures and speaks the service's protocol. */
class CloudSsmSourceFactoryTest {

    private static final String ARN = "arn:aws:ssm:eu-test-1:123456789012:parameter/prod/token";

    private final CloudSsmSourceFactory factory = new CloudSsmSourceFactory();
    private final JdkCaller http = new JdkCaller();
    private final Lent lent = new Lent("cloud_ssm", http);
    private SdkSettings settings;
    private AwsEndpoint endpoint;

    @BeforeEach
    void open() throws Exception {
        settings = SdkSettings.withCredentials();
        endpoint = new AwsEndpoint("eu-test-1", "ssm");
    }

    @AfterEach
    void close() throws Exception {
        lent.close();
        endpoint.close();
        http.close();
        settings.close();
        assertThat(endpoint.faults()).isEmpty();
    }

    private SecretSource source(String name, boolean withDecryption) {
        return factory.create(
                new CloudSsmSource(name, "eu-test-1", withDecryption, endpoint.url(), Duration.ZERO), lent);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsAParameterByASignedRequest(boolean withDecryption) throws Exception {
        endpoint.always(value("{\"Parameter\": {\"Type\": \"SecureString\", \"Value\": \"r34l-v4lue\"}}"));

        SecretSource source = source(ARN, withDecryption);

        assertThat(source.read().text()).isEqualTo("r34l-v4lue");
        assertThat(source.name()).isEqualTo(ARN);
        assertThat(endpoint.calls()).singleElement().satisfies(call -> {
            assertThat(call.target()).isEqualTo("AmazonSSM.GetParameter");
            assertThat(call.body()).hasToString("{\"Name\":\"" + ARN + "\",\"WithDecryption\":" + withDecryption + "}");
        });
    }

    @Test
    void aMissingParameterIsNamed() {
        endpoint.always(error(400, "ParameterNotFound"));

        assertThatThrownBy(() -> source("/prod/token", true).read())
                .isInstanceOf(SecretException.class)
                .hasMessage("cloud_ssm /prod/token in eu-test-1: there is no such parameter");
    }

    @Test
    void theMissingPermissionIsNamed() {
        endpoint.always(error(400, "AccessDeniedException"));

        assertThatThrownBy(() -> source("/prod/token", true).read())
                .hasMessage("cloud_ssm /prod/token in eu-test-1: access denied (expected: permission for"
                        + " ssm:GetParameter, and for kms:Decrypt with the key that encrypts it)");
    }

    @Test
    void aParameterWithoutValueIsAnError() {
        endpoint.always(value("{}"));

        assertThatThrownBy(() -> source("/prod/token", true).read())
                .hasMessage("cloud_ssm /prod/token in eu-test-1: it has no value");
    }
}
