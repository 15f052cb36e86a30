package dev.sallyport.sources.aws;

import static dev.sallyport.sources.aws.AwsEndpoint.Answer.error;
import static dev.sallyport.sources.aws.AwsEndpoint.Answer.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.testkit.JdkCaller;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The source {@code cloud_sm}, against an endpoint that verifies signatures and speaks the service's protocol. */
class CloudSmSourceFactoryTest {

    private static final String ID = "prod/token";
    private static final String VALUE = "r34l-v4lue";
    private static final String WHERE = "cloud_sm prod/token in eu-test-1: ";

    private final CloudSmSourceFactory factory = new CloudSmSourceFactory();
    private final JdkCaller http = new JdkCaller();
    private final Lent lent = new Lent("cloud_sm", http);
    private SdkSettings settings;
    private AwsEndpoint endpoint;

    @BeforeEach
    void open() throws Exception {
        settings = SdkSettings.withCredentials();
        endpoint = new AwsEndpoint("eu-test-1", "secretsmanager");
    }

    @AfterEach
    void close() throws Exception {
        lent.close();
        endpoint.close();
        http.close();
        settings.close();
        assertThat(endpoint.faults()).isEmpty();
    }

    private CloudSmSource config(String region) {
        return new CloudSmSource(ID, region, endpoint.url(), Duration.ZERO);
    }

    private SecretSource source() {
        return factory.create(config("eu-test-1"), lent);
    }

    private SecretSource source(HttpCaller caller, Duration limit) {
        ServiceLocation location = new ServiceLocation("cloud_sm", "eu-test-1", endpoint.url());
        return new AwsSource<>(ID, location, new SecretsManager(ID), new Lent("cloud_sm", caller), limit);
    }

    /** The message of the failure, in which nothing secret is. */
    private static String failure(SecretSource source) {
        SecretException failure = catchThrowableOfType(SecretException.class, source::read);
        assertThat(failure).isNotNull();
        assertThat(failure.getCause()).isNull();
        assertThat(failure.getMessage())
                .doesNotContain(AwsEndpoint.SECRET_KEY)
                .doesNotContain(AwsEndpoint.SESSION_TOKEN)
                .doesNotContain(VALUE)
                .doesNotContain("0e9f-77");
        return failure.getMessage();
    }

    @Test
    void readsTextByASignedRequest() throws Exception {
        endpoint.always(value("{\"Name\": \"prod/token\", \"SecretString\": \" r34l-v4lue\\u00e9\\n\"}"));

        SecretSource source = source();

        assertThat(source.read().text()).isEqualTo(" r34l-v4lue\u00e9\n");
        assertThat(source.name()).isEqualTo(ID);
        assertThat(endpoint.calls()).singleElement().satisfies(call -> {
            assertThat(call.target()).isEqualTo("secretsmanager.GetSecretValue");
            assertThat(call.body()).hasToString("{\"SecretId\":\"prod/token\"}");
        });
    }

    @Test
    void readsBinarySecretsAsTheirBytes() throws Exception {
        byte[] bytes = {0, (byte) 0xff, (byte) 0xc3, '\n'};
        endpoint.always(value("{\"SecretBinary\": \"" + Base64.getEncoder().encodeToString(bytes) + "\"}"));

        assertThat(source().read().bytes()).isEqualTo(bytes);
    }

    @Test
    void eachReadAsksAgainOnOneClient() throws Exception {
        endpoint.first(value("{\"SecretString\": \"one\"}")).always(value("{\"SecretString\": \"two\"}"));
        SecretSource source = source();
        SecretSource other =
                factory.create(new CloudSmSource("prod/other", "eu-test-1", endpoint.url(), Duration.ZERO), lent);

        assertThat(source.read().text()).isEqualTo("one");
        assertThat(source.read().text()).isEqualTo("two");
        assertThat(other.read().text()).isEqualTo("two");

        assertThat(endpoint.calls()).hasSize(3);
        assertThat(lent.kept()).as("clients").isOne();
    }

    @Test
    void theRegionIsThatOfTheSdkWhenNoneIsConfigured() throws Exception {
        settings.set("aws.region", "eu-test-1");
        endpoint.always(value("{\"SecretString\": \"r34l-v4lue\"}"));

        assertThat(factory.create(config(""), lent).read().text()).isEqualTo(VALUE);
    }

    @Test
    void withoutAnyRegionItSaysSo() {
        assertThat(failure(factory.create(config(""), lent)))
                .isEqualTo("cloud_sm prod/token: no region is configured and the SDK finds none (expected: region,"
                        + " AWS_REGION, a profile with a region, or an instance of EC2)");
        assertThat(endpoint.calls()).isEmpty();
    }

    @Test
    void withoutAnyCredentialsItSaysSo() {
        settings.close();
        try (SdkSettings none = new SdkSettings()) {
            assertThat(failure(source()))
                    .isEqualTo(WHERE + "the SDK finds no credentials (expected: AWS_ACCESS_KEY_ID and"
                            + " AWS_SECRET_ACCESS_KEY, a profile, a web identity token, or the role of a container or"
                            + " instance)");
        }
        assertThat(endpoint.calls()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            400 | ResourceNotFoundException   | there is no such secret
            400 | AccessDeniedException       | access denied (expected: permission for secretsmanager:GetSecretValue, and for kms:Decrypt with the key that encrypts it)
            400 | ExpiredTokenException       | the credentials are not accepted: ExpiredTokenException
            400 | UnrecognizedClientException | the credentials are not accepted: UnrecognizedClientException
            400 | DecryptionFailure           | it cannot be decrypted: DecryptionFailure
            400 | InvalidRequestException     | refused: status 400, InvalidRequestException
            501 | NotImplementedHere          | the service failed: status 501, NotImplementedHere
            """)
    void refusalsAreToldInOurWords(int status, String code, String reason) {
        endpoint.always(error(status, code));

        assertThat(failure(source())).isEqualTo(WHERE + reason);
    }

    @Test
    void aWrongKeyIsNotAccepted() throws Exception {
        settings.set("aws.secretAccessKey", "another-key");
        try (AwsEndpoint other = new AwsEndpoint("eu-test-1", "secretsmanager")) {
            SecretSource source = factory.create(new CloudSmSource(ID, "eu-test-1", other.url(), Duration.ZERO), lent);

            assertThat(failure(source))
                    .isEqualTo(WHERE + "the credentials are not accepted: InvalidSignatureException");
            assertThat(other.faults()).containsExactly("signature");
        }
    }

    @Test
    void whatIsThrottledOrFailsIsTriedAgain() throws Exception {
        endpoint.first(error(400, "ThrottlingException"), error(500, "InternalServiceError"))
                .always(value("{\"SecretString\": \"r34l-v4lue\"}"));

        assertThat(source().read().text()).isEqualTo(VALUE);
        assertThat(endpoint.calls()).hasSize(3);
    }

    @Test
    void threeAttemptsAreEnough() {
        endpoint.always(error(400, "ThrottlingException"));

        assertThat(failure(source())).isEqualTo(WHERE + "throttled, after 3 attempts: ThrottlingException");
        assertThat(endpoint.calls()).hasSize(3);
    }

    @Test
    void anEndpointThatSaysNothingIsGivenUp() {
        endpoint.silent();

        assertThat(failure(source(http, Duration.ofSeconds(1)))).isEqualTo(WHERE + "no answer within 1 s");
    }

    @Test
    void anInterruptEndsTheReadAtOnce() throws Exception {
        endpoint.silent();
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        SecretSource source = source();
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                source.read();
                ended.complete(null);
            } catch (Exception e) {
                ended.complete(e);
            }
        });
        Awaitility.await().until(() -> !endpoint.calls().isEmpty());

        reader.interrupt();

        assertThat(ended.get()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void anAttemptWithoutReplyIsRepeatedAndThenTold() {
        AtomicInteger attempts = new AtomicInteger();
        HttpCaller late = call -> {
            assertThat(call.timeout()).isEqualTo(Duration.ofSeconds(5));
            attempts.incrementAndGet();
            return CompletableFuture.failedFuture(new TimeoutException("late"));
        };

        assertThat(failure(source(late, AwsSource.LIMIT))).isEqualTo(WHERE + "no answer: no complete reply within 5 s");
        assertThat(attempts).hasValue(3);
    }

    @Test
    void whyThereIsNoConnectionIsTold() {
        HttpCaller refused = call -> CompletableFuture.failedFuture(new IOException("127.0.0.1:1: connection refused"));

        assertThat(failure(source(refused, AwsSource.LIMIT)))
                .isEqualTo(WHERE + "no answer: 127.0.0.1:1: connection refused");
    }

    @Test
    void anAnswerThatIsNoJsonIsNotQuoted() {
        endpoint.always(value("{\"SecretString\": r34l-v4lue}"));

        assertThat(failure(source()))
                .isEqualTo(WHERE + "the answer cannot be used (expected: an AWS endpoint, or a compatible one)");
    }

    @Test
    void anErrorPageIsNotQuoted() {
        endpoint.always(new AwsEndpoint.Answer(404, "<html>" + VALUE + "</html>"));

        assertThat(failure(source())).isEqualTo(WHERE + "refused: status 404, no error code");
    }

    @Test
    void aSecretWithoutValueIsAnError() {
        endpoint.first(value("{\"Name\": \"prod/token\"}")).always(value("{\"SecretString\": \"\"}"));

        assertThat(failure(source())).isEqualTo(WHERE + "it has neither text nor bytes");
        assertThat(failure(source())).isEqualTo(WHERE + "it is empty");
    }
}
