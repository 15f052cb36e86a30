package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What all changes have in common: versions, repetition, order numbers; network policies as the example. */
class ChangesTest {

    private static final String PATH = "/v1/policies/network";
    private static final String BODY = "{\"name\": \"n\", \"priority\": 1, \"rules\": [{\"host\": \"a.test\"}]}";

    private Api api;

    @BeforeEach
    void signUp() {
        api = TestControl.shared().newAccount();
    }

    @Test
    void networkPoliciesHaveTheSameForm() {
        Api.Reply reply = api.post(PATH, BODY);

        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.data().path("id").asText()).matches("npol_[0-9a-z]{26}");
        String path = PATH + "/" + reply.data().path("id").asText();
        assertThat(api.get(path).data()).isEqualTo(reply.data());
        assertThat(api.post(PATH, BODY).error()).isEqualTo("409 network_policy_name_taken");
        assertThat(api.put(path, "{\"name\": \"m\", \"priority\": 9}").data().path("rules"))
                .isEmpty();
        assertThat(api.delete(path).status()).isEqualTo(204);
        assertThat(api.get(path).error()).isEqualTo("404 network_policy_not_found");
        assertThat(api.post(PATH, "{\"name\": \"n\", \"priority\": 1, \"tools\": []}")
                        .fields())
                .containsExactly("tools");
    }

    @Test
    void theEtagChangesWithTheVersionAndIfMatchHoldsOnPutAndDelete() {
        Api.Reply made = api.post(PATH, BODY);
        String path = PATH + "/" + made.data().path("id").asText();
        String first = made.header("ETag");
        assertThat(api.get(path).header("ETag")).isEqualTo(first);

        Api.Reply changed = api.withHeader("If-Match", first).put(path, BODY);
        assertThat(changed.status()).isEqualTo(200);
        assertThat(changed.header("ETag")).isNotEqualTo(first);

        assertThat(api.withHeader("If-Match", first).put(path, BODY).error()).isEqualTo("412 precondition_failed");
        assertThat(api.withHeader("If-Match", first).put(path, "{}").error()).isEqualTo("422 validation_error");
        assertThat(api.withHeader("If-Match", first).delete(path).error()).isEqualTo("412 precondition_failed");
        assertThat(api.withHeader("If-Match", "\"x\", " + changed.header("ETag"))
                        .put(path, BODY)
                        .status())
                .isEqualTo(200);
        assertThat(api.withHeader("If-Match", "*").delete(path).status()).isEqualTo(204);
    }

    @Test
    void thePreconditionComesBeforeTheConflict() {
        api.post(PATH, BODY);
        String path = PATH + "/"
                + api.post(PATH, "{\"name\": \"other\", \"priority\": 1}")
                        .data()
                        .path("id")
                        .asText();

        assertThat(api.withHeader("If-Match", "\"stale\"").put(path, BODY).error())
                .isEqualTo("412 precondition_failed");
        assertThat(api.put(path, BODY).error()).isEqualTo("409 network_policy_name_taken");
    }

    @Test
    void theSameKeyAndBodyGiveTheStoredAnswer() {
        Api once = api.withHeader("Idempotency-Key", "k-1");

        Api.Reply first = once.post(PATH, BODY);
        Api.Reply second = once.post(PATH, BODY);

        assertThat(first.status()).isEqualTo(201);
        assertThat(first.header("Idempotent-Replayed")).isEmpty();
        assertThat(second.status()).isEqualTo(201);
        assertThat(second.text()).isEqualTo(first.text());
        assertThat(second.header("ETag")).isEqualTo(first.header("ETag"));
        assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(api.get(PATH).data()).hasSize(1);
    }

    @Test
    void theSameKeyWithAnotherBodyIs422() {
        Api once = api.withHeader("Idempotency-Key", "k-1");
        once.post(PATH, BODY);

        assertThat(once.post(PATH, "{\"name\": \"x\", \"priority\": 1}").error())
                .isEqualTo("422 idempotency_key_reused");
    }

    @Test
    void errorsAreStoredTooAndKeysAreOfOneCaller() {
        Api once = api.withHeader("Idempotency-Key", "k-2");

        Api.Reply first = once.post(PATH, "{}");
        Api.Reply second = once.post(PATH, "{}");

        assertThat(first.error()).isEqualTo("422 validation_error");
        assertThat(second.error()).isEqualTo("422 validation_error");
        assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(TestControl.shared()
                        .newAccount()
                        .withHeader("Idempotency-Key", "k-2")
                        .post(PATH, BODY)
                        .status())
                .isEqualTo(201);
    }

    @Test
    void aConflictIsNotStoredBecauseItPasses() {
        Api once = api.withHeader("Idempotency-Key", "k-4");
        String other = PATH + "/" + api.post(PATH, BODY).data().path("id").asText();

        Api.Reply conflict = once.post(PATH, BODY);
        api.delete(other);
        Api.Reply later = once.post(PATH, BODY);

        assertThat(conflict.error()).isEqualTo("409 network_policy_name_taken");
        assertThat(later.status()).isEqualTo(201);
    }

    @Test
    void aTrailingSlashIsNoOtherRequest() {
        Api once = api.withHeader("Idempotency-Key", "k-5");

        Api.Reply first = once.post(PATH, BODY);
        Api.Reply second = once.post(PATH + "/", BODY);

        assertThat(second.text()).isEqualTo(first.text());
        assertThat(second.header("Idempotent-Replayed")).isEqualTo("true");
    }

    @Test
    void afterARestoreNoTagNamesAnotherState() throws Exception {
        Api.Reply made = api.post(PATH, BODY);
        String id = made.data().path("id").asText();
        String before = "from policy where id = '" + id + "'";
        long version = TestControl.shared().number("select version " + before);
        String lost = api.put(PATH + "/" + id, BODY).header("ETag");

        TestControl.shared().execute("update policy set version = " + version + " where id = '" + id + "'");
        Api.Reply other = api.put(PATH + "/" + id, "{\"name\": \"other\", \"priority\": 1}");

        assertThat(other.header("ETag")).isNotEqualTo(lost);
        assertThat(api.withHeader("If-Match", lost).delete(PATH + "/" + id).error())
                .isEqualTo("412 precondition_failed");
    }

    @Test
    void theKeyIsForgottenAfter24Hours() {
        Api once = api.withHeader("Idempotency-Key", "k-3");
        once.post(PATH, BODY);

        TestControl.shared().clock().advance(Duration.ofHours(24).plusSeconds(1));

        assertThat(once.post(PATH, BODY).error()).isEqualTo("409 network_policy_name_taken");
    }

    @Test
    void aKeyThatIsNoneIs400() {
        assertThat(api.withHeader("Idempotency-Key", "x".repeat(256))
                        .post(PATH, BODY)
                        .error())
                .isEqualTo("400 bad_request");
    }

    @Test
    void ofRequestsWithOneKeyAtOnceOneIsRun() throws Exception {
        Api once = api.withHeader("Idempotency-Key", "k-4");
        List<Future<Api.Reply>> replies = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 8; i++) {
                replies.add(threads.submit(() -> once.post(PATH, BODY)));
            }
        }

        for (Future<Api.Reply> reply : replies) {
            assertThat(reply.get().status()).isIn(201, 409);
            if (reply.get().status() == 409) {
                assertThat(reply.get().code()).isEqualTo("idempotency_in_progress");
            }
        }
        assertThat(api.get(PATH).data()).hasSize(1);
    }

    @Test
    void ofCreationsOfOneNameAtOnceOneSucceeds() throws Exception {
        List<Future<Api.Reply>> replies = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 8; i++) {
                replies.add(threads.submit(() -> api.post(PATH, BODY)));
            }
        }

        List<Integer> statuses = new ArrayList<>();
        for (Future<Api.Reply> reply : replies) {
            statuses.add(reply.get().status());
        }
        assertThat(statuses).containsOnly(201, 409).containsOnlyOnce(201);
    }

    @Test
    void everyChangeAnswersAGreaterRevision() {
        Api.Reply made = api.post(PATH, BODY);
        String path = PATH + "/" + made.data().path("id").asText();
        long first = Long.parseLong(made.header("Sallyport-Revision"));
        long second = Long.parseLong(api.put(path, BODY).header("Sallyport-Revision"));
        long third = Long.parseLong(api.delete(path).header("Sallyport-Revision"));

        assertThat(second).isGreaterThan(first);
        assertThat(third).isGreaterThan(second);
    }

    @Test
    void soDoesEveryChangeOfEgressSecretsAndVariables() {
        List<Api.Reply> replies = new ArrayList<>();
        replies.add(api.put("/v1/egress/policy", "{\"mode\": \"warn\"}"));
        replies.add(api.post("/v1/egress/rules", "{\"host\": \"a.test\"}"));
        replies.add(api.delete(
                "/v1/egress/rules/" + replies.getLast().json().path("id").asText()));
        replies.add(api.post("/v1/secrets", "{\"name\": \"a\", \"secret\": \"s\", \"env_var\": \"A\"}"));
        String secret = "/v1/secrets/" + replies.getLast().json().path("id").asText();
        replies.add(api.patch(secret, "{\"secret\": \"t\"}"));
        replies.add(api.delete(secret));
        replies.add(api.put("/v1/env/A", "{\"value\": \"v\"}"));
        replies.add(api.put("/v1/env/A", "{\"value\": \"w\"}"));
        replies.add(api.delete("/v1/env/A"));

        assertThat(replies).extracting(Api.Reply::status).containsExactly(200, 201, 204, 201, 200, 204, 200, 200, 204);
        List<Long> revisions = replies.stream()
                .map(reply -> Long.valueOf(reply.header("Sallyport-Revision")))
                .toList();
        assertThat(revisions).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void adminAuditTellsWhoChangedWhatBeforeAndAfter() {
        JsonNode made = api.post(PATH, BODY).data();
        String path = PATH + "/" + made.path("id").asText();
        api.put(path, "{\"name\": \"m\", \"priority\": 2}");
        api.delete(path);

        JsonNode events =
                api.get("/v1/audit/admin?resource=network_policy&order=asc").data();

        assertThat(events.findValuesAsText("action")).containsExactly("create", "update", "delete");
        assertThat(events.findValuesAsText("resource_id"))
                .containsOnly(made.path("id").asText());
        assertThat(events.at("/0/before").isNull()).isTrue();
        assertThat(events.at("/0/after/name").asText()).isEqualTo("n");
        assertThat(events.at("/1/before/name").asText()).isEqualTo("n");
        assertThat(events.at("/1/after/name").asText()).isEqualTo("m");
        assertThat(events.at("/2/after").isNull()).isTrue();
        assertThat(events.at("/0/actor/user_id").asText()).startsWith("usr_");
        assertThat(events.at("/0/actor/api_key_id").asText()).startsWith("key_");
        assertThat(events.at("/0/remote_addr").asText()).isEqualTo("127.0.0.1");
    }

    @Test
    void adminAuditIsPagedByIdsAndFilteredByTime() {
        for (int i = 0; i < 5; i++) {
            api.post(PATH, "{\"name\": \"n" + i + "\", \"priority\": 1}");
        }
        String list = "/v1/audit/admin?action=create&resource=network_policy&limit=2";

        List<String> seen = new ArrayList<>();
        Api.Reply page = api.get(list);
        seen.addAll(page.json().findValuesAsText("resource_id"));
        while (page.json().path("has_more").asBoolean()) {
            page = api.get(list + "&cursor=" + page.json().path("cursor").asText());
            seen.addAll(page.json().findValuesAsText("resource_id"));
        }

        assertThat(seen).hasSize(5).doesNotHaveDuplicates().isSortedAccordingTo((a, b) -> b.compareTo(a));
        assertThat(page.json().path("cursor").isNull()).isTrue();
        assertThat(api.get("/v1/audit/admin?until=2000-01-01T00:00:00Z").data()).isEmpty();
        assertThat(api.get("/v1/audit/admin?since=2000-01-01T00:00:00Z").data()).isNotEmpty();
        assertThat(api.get("/v1/audit/admin?since=2000-01-01").data()).isNotEmpty();
        assertThat(api.get("/v1/audit/admin?until=2000-01-01").data()).isEmpty();
        assertThat(api.get("/v1/audit/admin?since=yesterday").fields()).containsExactly("since");
        assertThat(api.get("/v1/audit/admin?limit=501").fields()).containsExactly("limit");
        assertThat(api.get("/v1/audit/admin?limit=0").fields()).containsExactly("limit");
        assertThat(api.get("/v1/audit/admin?cursor=x").fields()).containsExactly("cursor");
        assertThat(api.get("/v1/audit/admin?order=up").fields()).containsExactly("order");
    }

    @Test
    void refusalsOfAnonymousCallersAreNotStored() {
        Api once = TestControl.shared().anonymous().withHeader("Idempotency-Key", "anonymous-" + api.key());
        String email = TestControl.newEmail();

        assertThat(once.post("/v1/users", "{}").error()).isEqualTo("422 validation_error");
        Api.Reply made = once.post(
                "/v1/users",
                "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"" + email
                        + "\", \"password\": \"correct horse\"}");

        assertThat(made.status()).isEqualTo(201);
        assertThat(once.post("/v1/users", "{}").error()).isEqualTo("422 idempotency_key_reused");
    }

    @Test
    void aKeyThatIsGivenBackMeanwhileIsTaken() throws Exception {
        Api once = TestControl.shared().anonymous().withHeader("Idempotency-Key", "race-" + api.key());
        List<Future<Api.Reply>> replies = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 200; i++) {
                replies.add(threads.submit(() -> once.post("/v1/users", "{}")));
            }
        }

        for (Future<Api.Reply> reply : replies) {
            assertThat(reply.get().error()).isIn("422 validation_error", "409 idempotency_in_progress");
        }
    }

    @Test
    void ofReplacementsWithOneEtagAtOnceOneSucceeds() throws Exception {
        Api.Reply made = api.post(PATH, BODY);
        String path = PATH + "/" + made.data().path("id").asText();
        Api tagged = api.withHeader("If-Match", made.header("ETag"));
        List<Future<Api.Reply>> replies = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 8; i++) {
                String body = "{\"name\": \"n" + i + "\", \"priority\": 1}";
                replies.add(threads.submit(() -> tagged.put(path, body)));
            }
        }

        List<Integer> statuses = new ArrayList<>();
        for (Future<Api.Reply> reply : replies) {
            statuses.add(reply.get().status());
        }
        assertThat(statuses).containsOnly(200, 412).containsOnlyOnce(200);
    }
}
