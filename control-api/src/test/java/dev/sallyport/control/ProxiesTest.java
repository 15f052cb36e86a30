package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/decisions.md, sections 15 and 16: {@code /v1/proxies}. */
class ProxiesTest {

    private static final String PROXIES = "/v1/proxies";

    private final TestControl control = TestControl.shared();
    private final Api api = control.newAccount();

    /** POST {name, tags}: 201 {data: {id: prx_..., token, ...}}, the token shown once. */
    @Test
    void aProxyIsMadeAndItsTokenShownOnce() {
        Api.Reply made = api.post(PROXIES, "{\"name\": \"eu-1\", \"tags\": [\"eu\", \"prod\"]}");

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.data().path("id").asText()).matches("prx_[0-9a-z]{26}");
        String token = made.data().path("token").asText();
        assertThat(token).matches("sp_proxy_[A-Za-z0-9_-]{43}");
        assertThat(Long.parseLong(made.header("Sallyport-Revision"))).isPositive();
        assertThat(api.get(PROXIES + "/" + made.data().path("id").asText()).text()
                        + api.get(PROXIES).text())
                .contains("eu-1")
                .doesNotContain(token);
        assertThat(api.get("/v1/audit/admin?resource=proxy").text())
                .contains("eu-1")
                .doesNotContain(token);
    }

    /** GET: version, last seen, problems of the last snapshot. */
    @Test
    void aProxyThatHasNeverConnectedIsNew() {
        String id = api.post(PROXIES, "{\"name\": \"a\"}").data().path("id").asText();

        JsonNode proxy = api.get(PROXIES + "/" + id).data();

        assertThat(proxy.path("status").asText()).isEqualTo("new");
        assertThat(proxy.path("tags")).isEmpty();
        assertThat(proxy.path("last_seen_at").isNull()).isTrue();
        assertThat(proxy.path("applied_revision").isNull()).isTrue();
        assertThat(proxy.path("problems")).isEmpty();
    }

    @Test
    void namesAreUniqueInTheOrganizationAndFreeAfterDelete() {
        String id = api.post(PROXIES, "{\"name\": \"a\"}").data().path("id").asText();

        assertThat(api.post(PROXIES, "{\"name\": \"a\"}").error()).isEqualTo("409 proxy_name_taken");
        assertThat(control.newAccount().post(PROXIES, "{\"name\": \"a\"}").status())
                .isEqualTo(201);
        assertThat(api.delete(PROXIES + "/" + id).status()).isEqualTo(204);
        assertThat(api.get(PROXIES + "/" + id).error()).isEqualTo("404 proxy_not_found");
        assertThat(api.delete(PROXIES + "/" + id).error()).isEqualTo("404 proxy_not_found");
        assertThat(api.post(PROXIES, "{\"name\": \"a\"}").status()).isEqualTo(201);
        assertThat(api.get(PROXIES).data()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|name",
                "{\"name\": \"A\"}|name",
                "{\"name\": \"a\", \"tags\": [\"\"]}|tags[0]",
                "{\"name\": \"a\", \"tags\": \"x\"}|tags",
                "{\"name\": \"a\", \"other\": 1}|other"
            })
    void whatIsWrongIsNamed(String body, String field) {
        Api.Reply reply = api.post(PROXIES, body);

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly(field);
    }

    @Tag("long")
    @Test
    void whoeverHasNoTokenTakesNoPlaceOfProxiesThatConnect() {
        Api stranger = control.anonymous().withKey("sp_proxy_" + "0".repeat(43));

        for (int i = 0; i < 1500; i++) {
            assertThat(stranger.get("/v1/feed").error()).isEqualTo("401 unauthorized");
        }
    }

    @Test
    void theStreamHasNoHead() {
        assertThat(api.send("HEAD", "/v1/feed", null).status()).isEqualTo(405);
    }

    @Test
    void aTokenOfAProxyIsNoApiKey() {
        String token =
                api.post(PROXIES, "{\"name\": \"a\"}").data().path("token").asText();

        assertThat(api.withKey(token).get(PROXIES).error()).isEqualTo("401 unauthorized");
    }
}
