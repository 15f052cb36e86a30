package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How much an organization may keep, and how much of it an answer holds. */
class QuotaTest {

    private static final String PATH = "/v1/policies/network";

    private final TestControl control = TestControl.shared();
    private Api api;

    @BeforeEach
    void signUp() {
        api = control.newAccount();
    }

    /** A policy of some length. */
    private static String body(String name, int bytes) {
        StringBuilder rules = new StringBuilder();
        String rule = "{\"host\": \"a.test\", \"paths\": [\"/" + "x".repeat(950) + "\"]}";
        for (int i = 0; i < bytes / 1000; i++) {
            rules.append(i == 0 ? "" : ",").append(rule);
        }
        return "{\"name\": \"" + name + "\", \"priority\": 1, \"rules\": [" + rules + "]}";
    }

    private List<Api.Reply> all(List<String> bodies) throws Exception {
        List<Future<Api.Reply>> sent = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            bodies.forEach(body -> sent.add(threads.submit(() -> api.post(PATH, body))));
        }
        List<Api.Reply> replies = new ArrayList<>();
        for (Future<Api.Reply> reply : sent) {
            replies.add(reply.get());
        }
        return replies;
    }

    @Test
    void anOrganizationHasAtMost1000PoliciesOfAKindHoweverManyAreMadeAtOnce() throws Exception {
        List<String> bodies = new ArrayList<>();
        for (int i = 0; i < 1010; i++) {
            bodies.add(body("n" + i, 0));
        }

        List<Api.Reply> replies = all(bodies);

        assertThat(replies.stream().filter(reply -> reply.status() == 201)).hasSize(1000);
        assertThat(replies.stream()
                        .filter(reply -> reply.status() != 201)
                        .map(Api.Reply::error)
                        .distinct())
                .containsExactly("409 quota_exceeded");
        JsonNode list = api.get(PATH).data();
        assertThat(list).hasSize(1000);
        String path = PATH + "/" + list.get(0).path("id").asText();
        assertThat(api.put(path, body("renamed", 0)).status()).isEqualTo(200);
        assertThat(api.post("/v1/policies/mcp", "{\"name\": \"m\", \"priority\": 1}")
                        .status())
                .isEqualTo(201);
        assertThat(api.delete(path).status()).isEqualTo(204);
        assertThat(api.post(PATH, body("again", 0)).status()).isEqualTo(201);
    }

    @Test
    @Tag("long")
    void anOrganizationHasAtMost16MiBOfPoliciesOfAKind() {
        String last = "";
        for (int i = 0; i < 17; i++) {
            Api.Reply reply = api.post(PATH, body("n" + i, 950_000));
            assertThat(reply.status()).as(reply.text()).isEqualTo(201);
            last = PATH + "/" + reply.data().path("id").asText();
        }

        assertThat(api.post(PATH, body("more", 950_000)).error()).isEqualTo("409 quota_exceeded");
        assertThat(api.post(PATH, body("small", 0)).status()).isEqualTo(201);
        assertThat(api.put(last, body("n16", 950_000)).status()).isEqualTo(200);
        assertThat(api.put(last, body("n16", 0)).status()).isEqualTo(200);
        assertThat(api.post(PATH, body("more", 950_000)).status()).isEqualTo(201);
        assertThat(api.put(last, body("n16", 950_000)).error()).isEqualTo("409 quota_exceeded");
    }

    /** The engine counts them, and reads no pipeline that has more. */
    @Test
    void anOrganizationHasAtMost400000ValuesInPoliciesOfAllKinds() {
        String rule = "{\"host\": \"a.test\", \"ports\": [" + "1,".repeat(999) + "1]}";
        String rules = (rule + ",").repeat(19) + rule;
        for (int i = 0; i < 19; i++) {
            Api.Reply reply = api.post(PATH, ruled("n" + i, rules));
            assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        }

        String tools = "{\"name\": \"m\", \"priority\": 1, \"tools\": [{\"name\": \"t\", \"matchers\": ["
                + ("{\"path\": \"p\", \"in\": [" + "1,".repeat(999) + "1]},").repeat(20)
                + "{\"path\": \"p\", \"equals\": 1}]}]}";
        assertThat(api.post("/v1/policies/mcp", tools).error()).isEqualTo("409 quota_exceeded");
        assertThat(api.post("/v1/policies/mcp", "{\"name\": \"m\", \"priority\": 1}")
                        .status())
                .isEqualTo(201);
    }

    private static String ruled(String name, String rules) {
        return "{\"name\": \"" + name + "\", \"priority\": 1, \"rules\": [" + rules + "]}";
    }

    @Test
    @Tag("long")
    void of64MiBOfAnswersThatAreKeptForACallerNoMoreAreKept() {
        String large = body("n", 950_000);
        int kept = 0;
        Api.Reply reply = keyed(kept).post(PATH, large);
        String first = reply.data().path("id").asText();
        while (reply.status() == 201 && kept < 80) {
            kept++;
            assertThat(api.delete(PATH + "/" + reply.data().path("id").asText()).status())
                    .isEqualTo(204);
            reply = keyed(kept).post(PATH, large);
        }

        assertThat(kept).isBetween(60, 72);
        assertThat(reply.error()).isEqualTo("409 quota_exceeded");
        assertThat(keyed(kept).post(PATH, large).error()).isEqualTo("409 quota_exceeded");
        assertThat(keyed(0).post(PATH, large).data().path("id").asText()).isEqualTo(first);
        assertThat(api.post(PATH, large).status()).isEqualTo(201);
        assertThat(control.newAccount()
                        .withHeader("Idempotency-Key", "k")
                        .post(PATH, large)
                        .status())
                .isEqualTo(201);
    }

    private Api keyed(int key) {
        return api.withHeader("Idempotency-Key", "k" + key);
    }

    @Test
    void aLongStateStandsInTheAuditAsItsLengthAndHash() {
        api.post(PATH, body("short", 15_000));
        api.post(PATH, body("long", 20_000));

        JsonNode events =
                api.get("/v1/audit/admin?resource=network_policy&order=asc").data();

        assertThat(events.at("/0/after/name").asText()).isEqualTo("short");
        assertThat(events.at("/1/after").properties()).hasSize(2);
        assertThat(events.at("/1/after/bytes").asInt()).isBetween(18_000, 22_000);
        assertThat(events.at("/1/after/sha256").asText()).matches("[0-9a-f]{64}");
    }

    @Test
    void aPageOfTheAuditEndsAt8MiBAndTheNextOneGoesOn() {
        String path =
                PATH + "/" + api.post(PATH, body("n", 15_000)).data().path("id").asText();
        for (int i = 0; i < 320; i++) {
            assertThat(api.put(path, body("n", 15_000)).status()).isEqualTo(200);
        }
        String list = "/v1/audit/admin?resource=network_policy&limit=500";

        Api.Reply first = api.get(list);
        Api.Reply second =
                api.get(list + "&cursor=" + first.json().path("cursor").asText());

        assertThat(first.json().path("has_more").asBoolean()).isTrue();
        assertThat(first.text().length()).isBetween(8 << 20, 9 << 20);
        assertThat(second.json().path("has_more").asBoolean(true)).isFalse();
        assertThat(first.data().size() + second.data().size()).isEqualTo(321);
    }
}
