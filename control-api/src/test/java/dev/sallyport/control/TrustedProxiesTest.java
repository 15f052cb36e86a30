package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A control plane behind proxies, which tell the addresses of clients. */
class TrustedProxiesTest {

    private static final String FORWARDED = "X-Forwarded-For";
    private static final String POLICY = "{\"name\": \"n\", \"priority\": 1}";

    private static TestControl control;

    @BeforeAll
    static void start() {
        control = TestControl.with("""
                  trusted_proxies: ["127.0.0.1", "10.0.0.0/8"]
                  base_url: "https://control.test"
                  rate_limits: {address_per_minute: 1000, sign_ups_per_hour: 2}
                """);
    }

    @AfterAll
    static void close() {
        control.close();
    }

    private static String signUp(String email) {
        return "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"" + email
                + "\", \"password\": \"correct horse\"}";
    }

    /** The address that the record of a change names. */
    private static String recorded(Api api) {
        api.post("/v1/policies/network", POLICY);
        JsonNode events = api.get("/v1/audit/admin?resource=network_policy").data();
        return events.at("/0/remote_addr").asText();
    }

    /** An account from an address that no other test uses. */
    private static Api account(String address) {
        Api.Reply reply =
                control.anonymous().withHeader(FORWARDED, address).post("/v1/users", signUp(TestControl.newEmail()));
        return control.anonymous().withKey(reply.json().at("/api_key/token").asText());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.1 | 198.51.100.7                | 198.51.100.7",
                "192.0.2.2 | 203.0.113.9, 198.51.100.7   | 198.51.100.7",
                "192.0.2.3 | 198.51.100.7, 10.1.2.3      | 198.51.100.7",
                "192.0.2.4 | 198.51.100.7 , 10.1.2.3,10.0.0.1 | 198.51.100.7",
                "192.0.2.5 | 198.51.100.7:4711           | 198.51.100.7",
                "192.0.2.6 | [2001:db8::1]:443           | 2001:db8:0:0:0:0:0:1",
                "192.0.2.7 | 2001:db8::1                 | 2001:db8:0:0:0:0:0:1",
                "192.0.2.8 | ::ffff:198.51.100.7         | 198.51.100.7",
                "192.0.2.9 | 198.51.100.7, unknown       | 127.0.0.1",
                "192.0.2.10 | 198.51.100.7, unknown, 10.0.0.1 | 10.0.0.1",
                "192.0.2.11 | localhost                  | 127.0.0.1",
                "192.0.2.12 | 198.51.100.0/24            | 127.0.0.1",
                "192.0.2.13 | [                          | 127.0.0.1",
                "192.0.2.14 | 10.1.1.1                   | 10.1.1.1"
            })
    void theClientIsTheLastAddressThatIsNoTrustedProxy(String own, String forwarded, String client) {
        assertThat(recorded(account(own).withHeader(FORWARDED, forwarded))).isEqualTo(client);
    }

    @Test
    void withoutTheFieldItIsThePeerAndOfTwoFieldsTheSecondIsTheLast() {
        assertThat(recorded(account("192.0.2.20"))).isEqualTo("127.0.0.1");
        assertThat(recorded(account("192.0.2.21")
                        .withHeader(FORWARDED, "198.51.100.1")
                        .withHeader(FORWARDED, "198.51.100.2")))
                .isEqualTo("198.51.100.2");
    }

    @Test
    void whoeverIsNotTrustedSpeaksForHimselfAlone() {
        assertThat(recorded(TestControl.shared().newAccount().withHeader(FORWARDED, "198.51.100.7")))
                .isEqualTo("127.0.0.1");
    }

    @Test
    void signUpsHaveALimitOfTheirOwnForEachAddressAndEach64() {
        Api one = control.anonymous().withHeader(FORWARDED, "2001:db8:1:2::1");
        String body = signUp(TestControl.newEmail());
        assertThat(one.post("/v1/users", body).status()).isEqualTo(201);
        assertThat(one.post("/v1/users", body).status()).isEqualTo(409);

        Api.Reply third = control.anonymous()
                .withHeader(FORWARDED, "2001:db8:1:2:ffff::9")
                .post("/v1/users", signUp(TestControl.newEmail()));

        assertThat(third.error()).isEqualTo("429 rate_limited");
        assertThat(Integer.parseInt(third.header("Retry-After"))).isBetween(60, 1801);
        assertThat(one.post("/v1/auth/device/code", null).status()).isEqualTo(200);
        assertThat(control.anonymous()
                        .withHeader(FORWARDED, "2001:db8:1:3::1")
                        .post("/v1/users", signUp(TestControl.newEmail()))
                        .status())
                .isEqualTo(201);
    }

    @Test
    void anIdempotencyKeyWithoutAnAccountIsOfItsAddress() {
        String body = signUp(TestControl.newEmail());
        Api one = control.anonymous().withHeader("Idempotency-Key", "k").withHeader(FORWARDED, "192.0.2.30");
        Api other = control.anonymous().withHeader("Idempotency-Key", "k").withHeader(FORWARDED, "192.0.2.31");

        Api.Reply made = one.post("/v1/users", body);

        assertThat(made.status()).isEqualTo(201);
        assertThat(one.post("/v1/users", body).text()).isEqualTo(made.text());
        assertThat(other.post("/v1/users", body).error()).isEqualTo("409 email_taken");
    }

    @Test
    void behindAProxyThatAddsTlsCookiesAreSecureAndBrowsersStayThere() {
        String email = TestControl.newEmail();
        control.anonymous().withHeader(FORWARDED, "192.0.2.40").post("/v1/users", signUp(email));

        Api.Reply reply = control.anonymous()
                .withHeader("Content-Type", "application/x-www-form-urlencoded")
                .withHeader("Origin", "https://control.test")
                .post("/device/sign-in", "email=" + email + "&password=correct+horse&code=");

        assertThat(reply.status()).isEqualTo(303);
        assertThat(reply.header("Set-Cookie")).startsWith("__Host-sallyport=").containsIgnoringCase("Secure");
        assertThat(reply.header("Strict-Transport-Security")).isEqualTo("max-age=31536000");
    }
}
