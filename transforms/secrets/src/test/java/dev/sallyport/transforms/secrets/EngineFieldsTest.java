package dev.sallyport.transforms.secrets;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static dev.sallyport.transforms.secrets.Fixture.REAL;
import static dev.sallyport.transforms.secrets.Fixture.harness;
import static dev.sallyport.transforms.secrets.Fixture.replace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.TransformHarness;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A field of a response that belongs to the engine, and that nothing may be changed in. */
class EngineFieldsTest {

    @ParameterizedTest
    @ValueSource(strings = {"Host", "host"})
    void aCredentialInOneIsRefused(String field) {
        try (TransformHarness harness = harness(replace(""))
                .upstream(request -> TestResponse.ok("fine").header(field, REAL))
                .start()) {
            ExchangeResult result =
                    harness.send(TestRequest.get("https://a.test/").header("Authorization", "Bearer PLACEHOLDER"));

            assertThat(result).hasStatus(502).doesNotShow(REAL);
            assertThat(result.body()).contains("credential_in_response");
        }
    }
}
