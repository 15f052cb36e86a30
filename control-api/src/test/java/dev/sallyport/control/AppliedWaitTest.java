package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/decisions.md, section 16: {@code ?wait=applied&timeout=5s}; with proxies, module {@code it} tests it. */
class AppliedWaitTest {

    private static final String POLICIES = "/v1/policies/network";
    private static final String BODY = "{\"name\": \"a\", \"priority\": 1}";

    private final Api api = TestControl.shared().newAccount();

    @Test
    void withoutConnectedProxiesAChangeIsApplied() {
        Api.Reply made = api.post(POLICIES + "?wait=applied", BODY);

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.header("Sallyport-Applied")).isEqualTo("true");
        String path = POLICIES + "/" + made.data().path("id").asText();
        assertThat(api.put(path + "?wait=applied&timeout=500ms", BODY).header("Sallyport-Applied"))
                .isEqualTo("true");
        assertThat(api.delete(path + "?wait=applied&timeout=30s").header("Sallyport-Applied"))
                .isEqualTo("true");
    }

    @Test
    void withoutTheQueryNothingIsSaidOfIt() {
        assertThat(api.post(POLICIES, BODY).header("Sallyport-Applied")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"wait=sent", "wait=applied&timeout=31s", "wait=applied&timeout=5", "wait=applied&wait=applied"})
    void whatIsWrongIs422AndChangesNothing(String query) {
        assertThat(api.post(POLICIES + "?" + query, BODY).error()).isEqualTo("422 validation_error");
        assertThat(api.get(POLICIES).data()).isEmpty();
    }
}
