package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/decisions.md, section 16: {@code /v1/workloads}; with a proxy, module {@code it} tests it. */
class WorkloadsTest {

    private static final String WORKLOADS = "/v1/workloads";

    private final TestControl control = TestControl.shared();
    private final Api api = control.newAccount();

    private String made(String name) {
        Api.Reply reply = api.post(WORKLOADS, "{\"name\": \"" + name + "\"}");
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.json().path("id").asText();
    }

    /** POST {name}: 201, user and password shown once. */
    @Test
    void aWorkloadIsMadeAndItsPasswordShownOnce() {
        Api.Reply reply = api.post(WORKLOADS, "{\"name\": \"ci-1\"}");

        assertThat(reply.status()).isEqualTo(201);
        JsonNode made = reply.json();
        assertThat(made.path("id").asText()).matches("wl_[0-9a-z]{26}");
        assertThat(made.path("name").asText()).isEqualTo("ci-1");
        assertThat(made.path("user").asText()).isEqualTo(made.path("id").asText());
        String password = made.path("password").asText();
        assertThat(password).matches("sp_workload_[A-Za-z0-9_-]{43}");
        assertThat(Long.parseLong(reply.header("Sallyport-Revision"))).isPositive();
        String shown = api.get(WORKLOADS + "/" + made.path("id").asText()).text()
                + api.get(WORKLOADS).text()
                + api.get("/v1/audit/admin").text();
        assertThat(shown).contains("ci-1").doesNotContain(password, "hash");
    }

    /** Without a proxy in this process nothing is in force for it. */
    @Test
    void aWorkloadIsRetrieved() {
        String id = made("a");

        JsonNode workload = api.get(WORKLOADS + "/" + id).json();

        assertThat(workload.path("id").asText()).isEqualTo(id);
        assertThat(workload.path("user").asText()).isEqualTo(id);
        assertThat(workload.path("created_at").asText()).endsWith("Z");
        assertThat(workload.path("applied_revision").isNull()).isTrue();
        assertThat(workload.path("problems")).isEmpty();
        assertThat(workload.path("shared_proxies").isArray()).isTrue();
        assertThat(workload.has("password")).isFalse();
    }

    @Test
    void namesAreUniqueInTheAccountAndFreeAfterDelete() {
        String id = made("a");

        assertThat(api.post(WORKLOADS, "{\"name\": \"a\"}").error()).isEqualTo("409 workload_name_taken");
        assertThat(control.newAccount().post(WORKLOADS, "{\"name\": \"a\"}").status())
                .isEqualTo(201);
        Api.Reply deleted = api.delete(WORKLOADS + "/" + id);
        assertThat(deleted.status()).isEqualTo(204);
        assertThat(deleted.header("Sallyport-Revision")).isNotEmpty();
        assertThat(api.get(WORKLOADS + "/" + id).error()).isEqualTo("404 workload_not_found");
        assertThat(api.delete(WORKLOADS + "/" + id).error()).isEqualTo("404 workload_not_found");
        assertThat(api.get(WORKLOADS).data()).isEmpty();
        made("a");
    }

    @Test
    void listsAreFilteredOrderedAndPaged() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(made("w" + i));
        }

        assertThat(api.get(WORKLOADS + "?name=w3").data().findValuesAsText("id"))
                .containsExactly(ids.get(3));
        List<String> paged = new ArrayList<>();
        String cursor = "";
        do {
            Api.Reply page = api.get(WORKLOADS + "?order=asc&limit=2" + cursor);
            paged.addAll(page.data().findValuesAsText("id"));
            cursor = page.json().path("has_more").asBoolean()
                    ? "&cursor=" + page.json().path("cursor").asText()
                    : "";
        } while (!cursor.isEmpty());
        assertThat(paged).isEqualTo(ids);
        assertThat(api.get(WORKLOADS).data().findValuesAsText("id")).isEqualTo(ids.reversed());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|name",
                "{\"name\": \"A\"}|name",
                "{\"name\": \"\"}|name",
                "{\"name\": 1}|name",
                "{\"name\": \"a\", \"password\": \"mine\"}|password",
                "{\"name\": \"a\", \"other\": 1}|other"
            })
    void whatIsWrongIsNamed(String body, String field) {
        Api.Reply reply = api.post(WORKLOADS, body);

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly(field);
    }

    /** The password is shown to whoever repeats the request with the same key, and to nobody else. */
    @Test
    void theSameIdempotencyKeyMakesOneWorkload() {
        Api once = api.withHeader("Idempotency-Key", "k1");

        Api.Reply first = once.post(WORKLOADS, "{\"name\": \"a\"}");
        Api.Reply again = once.post(WORKLOADS, "{\"name\": \"a\"}");

        assertThat(again.status()).isEqualTo(201);
        assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(again.text()).isEqualTo(first.text());
        assertThat(api.get(WORKLOADS).data()).hasSize(1);
    }

    @Test
    void makingAndDeletingAreRecorded() {
        String id = made("a");
        api.delete(WORKLOADS + "/" + id);

        JsonNode events = api.get("/v1/audit/admin?resource=workload&order=asc").data();

        assertThat(events.findValuesAsText("action")).containsExactly("create", "delete");
        assertThat(events.at("/0/resource_id").asText()).isEqualTo(id);
        assertThat(events.at("/0/after/name").asText()).isEqualTo("a");
        assertThat(events.at("/0/before").isNull()).isTrue();
        assertThat(events.at("/1/before/name").asText()).isEqualTo("a");
    }

    @Test
    void aPasswordOfAWorkloadIsNoApiKey() {
        String password =
                api.post(WORKLOADS, "{\"name\": \"a\"}").json().path("password").asText();

        assertThat(api.withKey(password).get(WORKLOADS).error()).isEqualTo("401 unauthorized");
    }
}
