package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** docs/spec/resource-api.md, section "Users and sign-in", and docs/spec/decisions.md, section 15a: codes over their life. */
class DeviceCodesTest {

    private static final String CODE = "/v1/auth/device/code";

    private final TestControl control = TestControl.shared();
    private final Api nobody = control.anonymous();

    private String code() {
        return nobody.post(CODE, null).data().path("code").asText();
    }

    private Api.Reply poll(String code) {
        return nobody.get("/v1/auth/device/poll?code=" + code);
    }

    private String status(String code) {
        return poll(code).data().path("status").asText();
    }

    private static Api.Reply approve(Api api, String code) {
        return api.post("/v1/auth/device/approve", "{\"code\": \"" + code + "\"}");
    }

    @Test
    void aCodeExpires10MinutesAfterItWasAskedFor() {
        Instant before = control.clock().instant();
        Instant expires =
                Instant.parse(nobody.post(CODE, null).data().path("expires_at").asText());

        assertThat(expires)
                .isBetween(
                        before.plus(Duration.ofMinutes(10)).minusMillis(1),
                        control.clock().instant().plus(Duration.ofMinutes(10)));
    }

    @Test
    void aCodeIsPendingAndMayBeApprovedUntilItExpires() {
        Api api = control.newAccount();
        String code = code();

        control.clock().advance(Duration.ofMinutes(9));
        assertThat(status(code)).isEqualTo("pending");
        assertThat(approve(api, code).status()).isEqualTo(200);
        assertThat(status(code)).isEqualTo("authorized");
        control.clock().advance(Duration.ofMinutes(1));
        assertThat(status(code)).isEqualTo("expired");
    }

    /** token is present when authorized, and only then. */
    @Test
    void thereIsATokenWhenTheCodeIsAuthorizedAndElseNoMemberOfThatName() {
        Api api = control.newAccount();
        String code = code();
        JsonNode pending = poll(code).data();
        approve(api, code);
        JsonNode authorized = poll(code).data();

        assertThat(pending).isEqualTo(Api.tree("{\"status\": \"pending\"}"));
        assertThat(authorized.propertyStream().map(Map.Entry::getKey)).containsExactlyInAnyOrder("status", "token");
        assertThat(nobody.withKey(authorized.path("token").asText())
                        .get("/v1/me")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void aCodeIsKnownFor24HoursThenItIs404() {
        Api api = control.newAccount();
        String code = code();

        control.clock().advance(Duration.ofHours(24).minusSeconds(1));
        assertThat(status(code)).isEqualTo("expired");
        assertThat(approve(api, code).error()).isEqualTo("409 device_code_expired");

        control.clock().advance(Duration.ofSeconds(1));
        assertThat(poll(code).error()).isEqualTo("404 device_code_not_found");
        assertThat(approve(api, code).error()).isEqualTo("404 device_code_not_found");
    }

    /** The two endpoints of devices are called without authentication: a key, whatever it is, is not looked at. */
    @Test
    void noKeyIsAskedForAndNoneIsLookedAt() {
        for (String key : new String[] {
            "nonsense", "sp_live_" + "0".repeat(43), control.newAccount().key()
        }) {
            Api api = nobody.withKey(key);
            String code = api.post(CODE, null).data().path("code").asText();

            assertThat(api.get("/v1/auth/device/poll?code=" + code).data())
                    .isEqualTo(Api.tree("{\"status\": \"pending\"}"));
        }
    }

    @Test
    void aBodyIsIgnoredAndSoIsAnIdempotencyKey() {
        Api once = nobody.withHeader("Idempotency-Key", "device").withHeader("Content-Type", "text/plain");

        Api.Reply first = once.post(CODE, "nonsense");
        Api.Reply second = once.post(CODE, "nonsense");

        assertThat(first.status()).isEqualTo(200);
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.data().path("code")).isNotEqualTo(first.data().path("code"));
    }

    @Test
    void aCodeIsGivenOnce() {
        String code = code();

        Api.Reply twice = nobody.get("/v1/auth/device/poll?code=" + code + "&code=" + code);

        assertThat(twice.error()).isEqualTo("422 validation_error");
        assertThat(twice.fields()).containsExactly("code");
    }

    /** verification_uri is {base_url}/device?code=..., and forms come from there. */
    @Test
    void behindAProxyThatChangesHostTheUriAndTheOriginAreThoseOfTheBaseUrl() {
        try (TestControl behind = TestControl.with("  base_url: \"https://control.test:443\"\n")) {
            JsonNode code = behind.anonymous().post(CODE, null).data();
            Api form = behind.anonymous().withHeader("Content-Type", "application/x-www-form-urlencoded");

            assertThat(code.path("verification_uri").asText())
                    .isEqualTo("https://control.test:443/device?code="
                            + code.path("code").asText());
            assertThat(form.withHeader("Origin", "https://control.test")
                            .post("/device/sign-in", "email=a@example.com&password=wrong")
                            .status())
                    .isEqualTo(401);
            assertThat(form.withHeader("Origin", "http://control.test")
                            .post("/device/sign-in", "email=a@example.com&password=wrong")
                            .status())
                    .isEqualTo(403);
        }
    }
}
