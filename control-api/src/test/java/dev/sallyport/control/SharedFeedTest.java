package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.crypto.Tokens;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/spec/decisions.md, section 16: what a proxy elsewhere is given that all accounts share. */
@Timeout(120)
class SharedFeedTest {

    private static final String KEY = Base64.getEncoder().encodeToString(new byte[] {
        9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    });

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private TestControl control;
    private Api alice;
    private Api bob;
    private String token;
    private FeedStream stream;

    @BeforeEach
    void open() throws Exception {
        control = TestControl.with(TestControl.NO_LIMITS);
        alice = control.newAccount();
        bob = control.newAccount();
        token = control.addShared("eu-1", "eu");
        stream = FeedStream.open(control.address(), token, "Sallyport-Key", KEY);
    }

    @AfterEach
    void close() {
        stream.close();
        control.close();
        threads.close();
    }

    private static String organization(Api api) {
        return api.get("/v1/me").json().at("/organization/id").asText();
    }

    private static String digest(String password) {
        return Base64.getEncoder().encodeToString(HexFormat.of().parseHex(Tokens.hash(password)));
    }

    /** Acknowledges events until there is one with something of an account; returns that part. */
    private JsonNode of(String account) throws Exception {
        while (true) {
            FeedStream.Event event = stream.next("accounts");
            stream.acknowledge(
                    event.data().path("epoch").asText(),
                    event.data().path("number").asLong());
            for (JsonNode part : event.data().path("accounts")) {
                if (part.path("account").asText().equals(account)) {
                    return part;
                }
            }
        }
    }

    /** All accounts that come first. */
    private Map<String, JsonNode> first() throws Exception {
        Map<String, JsonNode> parts = new HashMap<>();
        List<String> only = new ArrayList<>();
        do {
            FeedStream.Event event = stream.next("accounts");
            event.data().path("only").forEach(id -> only.add(id.asText()));
            event.data()
                    .path("accounts")
                    .forEach(part -> parts.put(part.path("account").asText(), part));
            stream.acknowledge(
                    event.data().path("epoch").asText(),
                    event.data().path("number").asLong());
        } while (parts.size() < only.size());
        return parts;
    }

    /** Accounts with their keys: a digest, and no password. */
    @Test
    void itIsGivenEachAccountWithTheDigestsOfThoseWhoMayComeIn() throws Exception {
        Map<String, JsonNode> parts = first();

        assertThat(parts).containsOnlyKeys(organization(alice), organization(bob));
        JsonNode hers = parts.get(organization(alice));
        assertThat(hers.path("workloads")).isEmpty();
        assertThat(hers.at("/keys/0/sha256").asText()).isEqualTo(digest(alice.key()));
        assertThat(hers.toString()).doesNotContain(alice.key());
        assertThat(hers.path("pipeline").asText()).contains("allowlist");

        JsonNode made = alice.post("/v1/workloads", "{\"name\": \"ci\"}").json();
        JsonNode next = of(organization(alice));
        assertThat(next.at("/workloads/0/id").asText())
                .isEqualTo(made.path("user").asText());
        assertThat(next.at("/workloads/0/sha256").asText())
                .isEqualTo(digest(made.path("password").asText()));
        assertThat(next.path("pipeline_hash").asText())
                .as("the pipeline is as before")
                .isNotEmpty();
    }

    @Test
    void whatChangesOfOneAccountIsSentAlone() throws Exception {
        first();

        bob.post("/v1/egress/rules", "{\"host\": \"example.com\"}");

        FeedStream.Event event = stream.next("accounts");
        assertThat(event.data().path("accounts")).hasSize(1);
        assertThat(event.data().at("/accounts/0/account").asText()).isEqualTo(organization(bob));
        assertThat(event.data().toString()).contains("example.com").doesNotContain(organization(alice));
    }

    /** It belongs to no organization. */
    @Test
    void noOrganizationSeesIt() throws Exception {
        assertThat(alice.get("/v1/proxies").data()).isEmpty();
        assertThat(alice.get("/v1/audit/admin").text()).doesNotContain("eu-1");
        String id = stream.next("hello").data().path("proxy").asText();
        assertThat(alice.get("/v1/proxies/" + id).error()).isEqualTo("404 proxy_not_found");
        assertThat(alice.get("/v1/proxies/" + id + "/heads").error()).isEqualTo("404 proxy_not_found");
        assertThat(alice.delete("/v1/proxies/" + id).error()).isEqualTo("404 proxy_not_found");
    }

    /** A change is applied when the shared proxies have said so, and those who may come in no more are gone there. */
    @Test
    void aChangeIsAppliedWhenItHasSaidSo() throws Exception {
        first();
        JsonNode made = alice.post("/v1/workloads", "{\"name\": \"ci\"}").json();
        of(organization(alice));

        Api.Reply deleted = alice.delete("/v1/workloads/" + made.path("id").asText() + "?wait=applied&timeout=1s");
        assertThat(deleted.header("Sallyport-Applied")).isEqualTo("false");
        assertThat(of(organization(alice)).path("workloads")).isEmpty();

        Api.Reply key = alice.post("/v1/api-keys?wait=applied&timeout=300ms", "{\"name\": \"k\"}");
        assertThat(key.header("Sallyport-Applied")).isEqualTo("false");
        assertThat(of(organization(alice)).path("keys")).hasSize(2);
        Api.Reply revoked =
                alice.delete("/v1/api-keys/" + key.json().path("id").asText() + "?wait=applied&timeout=300ms");
        assertThat(revoked.header("Sallyport-Applied")).isEqualTo("false");
        assertThat(of(organization(alice)).path("keys")).hasSize(1);

        Future<JsonNode> proxy = threads.submit(() -> of(organization(alice)));
        Api.Reply ruled = alice.post("/v1/egress/rules?wait=applied&timeout=20s", "{\"host\": \"a.example\"}");
        assertThat(ruled.header("Sallyport-Applied")).isEqualTo("true");
        assertThat(proxy.get().toString()).contains("a.example");
    }

    /** A number that no event has is none of this connection. */
    @Test
    void aNumberThatNoEventHasIsRefused() throws Exception {
        first();

        assertThatThrownBy(() -> stream.acknowledge(epoch(), 4711)).hasMessageContaining("422");
    }

    private String epoch() throws Exception {
        alice.post("/v1/egress/rules", "{\"host\": \"b.example\"}");
        return stream.next("accounts").data().path("epoch").asText();
    }

    private Api.Reply events(String account) {
        return control.anonymous()
                .withKey(token)
                .post(
                        "/v1/feed/events",
                        "{\"epoch\": \"e\", \"first\": 0, \"events\": [{\"timestamp\": \"2026-01-01T00:00:00Z\", \"workload\": \"w\", \"account\": \""
                                + account
                                + "\", \"host\": \"example.com\", \"protocol\": \"http\", \"verdict\": \"allowed\", \"allowed\": true, \"mode\": \"enforce\", \"replacements\": []}]}");
    }

    /** It tells events of accounts that it was given, and of no others. */
    @Test
    void eventsOfAccountsThatItWasNotGivenAreLeftOut() throws Exception {
        first();
        stream.close();

        assertThat(events("org_of_nobody").json().path("position").asLong()).isZero();
        assertThat(events(organization(alice)).json().path("position").asLong())
                .as("the same number again")
                .isZero();
        assertThat(alice.get("/v1/audit/egress").json().path("data")).isEmpty();
        control.execute("delete from egress_source");
        assertThat(events(organization(alice)).json().path("position").asLong()).isZero();
        assertThat(alice.get("/v1/audit/egress").json().path("data")).hasSize(1);
        assertThat(bob.get("/v1/audit/egress").json().path("data")).isEmpty();
    }

    private JsonNode standing(Api api, JsonNode made) {
        return api.get("/v1/workloads/" + made.path("id").asText()).json().path("shared_proxies");
    }

    /** GET /v1/workloads/{id}: what is in force for it at the shared proxies, and what does not work there. */
    @Test
    void aWorkloadShowsWhatIsInForceForItThere() throws Exception {
        first();
        Api.Reply reply = alice.post("/v1/workloads", "{\"name\": \"ci\"}");
        JsonNode made = reply.json();
        long revision = Long.parseLong(reply.header("Sallyport-Revision"));
        assertThat(standing(alice, made)).hasSize(1);
        assertThat(standing(alice, made).at("/0/applied_revision").isNull())
                .as("it has not been acknowledged")
                .isTrue();

        acknowledgeWith(
                stream.next("accounts"),
                "\"problems\": [{\"account\": \"" + organization(alice)
                        + "\", \"pointer\": \"/transforms/0\", \"message\": \"broken\"}]");

        await().untilAsserted(() -> assertThat(
                        standing(alice, made).at("/0/applied_revision").asLong())
                .isGreaterThanOrEqualTo(revision));
        JsonNode shown = standing(alice, made).get(0);
        assertThat(shown.path("id").asText()).startsWith("prx_");
        assertThat(shown.at("/problems/0/message").asText()).isEqualTo("broken");
        assertThat(shown.at("/problems/0/pointer").asText()).isEqualTo("/transforms/0");
        JsonNode his = bob.post("/v1/workloads", "{\"name\": \"ci\"}").json();
        assertThat(standing(bob, his).at("/0/problems")).isEmpty();
        stream.close();
        await().untilAsserted(() -> assertThat(standing(alice, made)).isEmpty());
    }

    private void acknowledgeWith(FeedStream.Event accounts, String rest) throws Exception {
        stream.acknowledgeAccounts(control.address(), accounts, rest);
    }

    /** What was wrong over an earlier connection is not, when nothing is said of it any more. */
    @Test
    void problemsOfAnEarlierConnectionAreForgotten() throws Exception {
        acknowledgeWith(
                stream.next("accounts"), "\"problems\": [{\"pointer\": \"/transforms\", \"message\": \"broken\"}]");
        assertThat(control.sharedProxies().getFirst().problems()).hasSize(1);
        stream.close();

        stream = FeedStream.open(control.address(), token, "Sallyport-Key", KEY);
        acknowledgeWith(stream.next("accounts"), "\"problems\": []");

        assertThat(control.sharedProxies().getFirst().problems()).isEmpty();
    }

    @Test
    void aRevokedOneIsToldAndItsTokenOpensNothing() throws Exception {
        first();

        control.revokeShared("eu-1");

        assertThat(stream.next("revoked").name()).isEqualTo("revoked");
        assertThat(FeedStream.connect(control.address(), token).text()).contains("proxy_revoked");
    }
}
