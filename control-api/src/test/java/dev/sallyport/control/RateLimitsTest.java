package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
        assertThat(fourth.text()).contains("too many requests with this key");
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
        assertThat(control.anonymous().get(path).text()).contains("too many polls");
        assertThat(control.anonymous().get("/v1/me").error()).isEqualTo("401 unauthorized");
    }

    @Test
    void onlySignUpsThatMakeAnAccountOrTellOfOneAreCounted() {
        try (TestControl few = TestControl.with("  rate_limits: {sign_ups_per_hour: 3}\n")) {
            Api nobody = few.anonymous();
            for (String body : List.of("{}", "nonsense", "{}", "{}")) {
                assertThat(nobody.post("/v1/users", body).header("RateLimit-Remaining"))
                        .isEqualTo("3");
            }
            String email = TestControl.newEmail();
            Api once = nobody.withHeader("Idempotency-Key", "k-1");

            Api.Reply made = once.post("/v1/users", draft(email));
            Api.Reply again = once.post("/v1/users", draft(email));
            Api.Reply taken = nobody.post("/v1/users", draft(email));
            few.newAccount();
            Api.Reply refused = nobody.post("/v1/users", draft(TestControl.newEmail()));

            assertThat(made.header("RateLimit-Remaining")).isEqualTo("2");
            assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
            assertThat(again.header("RateLimit-Remaining")).isEqualTo("2");
            assertThat(taken.error()).isEqualTo("409 email_taken");
            assertThat(taken.header("RateLimit-Remaining")).isEqualTo("1");
            assertThat(refused.error()).isEqualTo("429 rate_limited");
            assertThat(refused.text()).contains("too many sign-ups");
        }
    }

    private static String draft(String email) {
        return "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"" + email
                + "\", \"password\": \"correct horse\"}";
    }
}
