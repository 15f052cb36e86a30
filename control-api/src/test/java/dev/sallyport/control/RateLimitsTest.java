package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that ask too often. */
class RateLimitsTest {

    private final TestControl control = TestControl.with(
            "  rate_limits: {key_per_minute: 1, key_burst: 3, address_per_minute: 6, poll_per_second: 1, poll_burst: 2}\n");

    @AfterEach
    void close() {
        control.close();
    }

    @Test
    void aKeyHasABurstThenIs429WithRetryAfterAndFieldsOnEveryAnswer() {
        Api api = control.newAccount();

        Api.Reply first = api.get("/v1/me");
        api.get("/v1/me");
        api.get("/v1/unknown");
        Api.Reply fourth = api.get("/v1/me");

        assertThat(first.header("RateLimit-Limit")).isEqualTo("3");
        assertThat(first.header("RateLimit-Remaining")).isEqualTo("2");
        assertThat(Integer.parseInt(first.header("RateLimit-Reset"))).isBetween(1, 61);
        assertThat(fourth.error()).isEqualTo("429 rate_limited");
        assertThat(fourth.header("RateLimit-Remaining")).isEqualTo("0");
        assertThat(Integer.parseInt(fourth.header("Retry-After"))).isBetween(1, 61);
    }

    @Test
    void anAddressWithoutAKeyHasALimitOfItsOwn() {
        Api api = control.newAccount(); // the document and the sign-up took two of six
        for (int i = 0; i < 4; i++) {
            assertThat(control.anonymous().withKey("wrong").get("/v1/me").error())
                    .isEqualTo("401 unauthorized");
        }

        assertThat(control.anonymous().withKey("wrong").get("/v1/me").error()).isEqualTo("429 rate_limited");
        assertThat(api.get("/v1/me").status()).isEqualTo(200);
        assertThat(control.anonymous().get("/healthz").status()).isEqualTo(200);
    }

    @Test
    void pollsHaveALimitOfTheirOwn() {
        String path = "/v1/auth/device/poll?code=" + "0".repeat(26);
        int refused = 0;
        for (int i = 0; i < 6; i++) {
            refused += control.anonymous().get(path).status() == 429 ? 1 : 0;
        }

        assertThat(refused).isPositive();
        assertThat(control.anonymous().get("/v1/me").error()).isEqualTo("401 unauthorized");
    }
}
