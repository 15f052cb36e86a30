package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.crypto.Tokens;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A proxy that accounts share comes back, and says what it has: it is sent what differs. */
@Timeout(120)
class SharedResumeTest {

    private static final String KEY = Base64.getEncoder().encodeToString(new byte[] {
        9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    });

    private TestControl control;
    private Api alice;
    private Api bob;
    private String token;
    private FeedStream stream;
    private Map<String, JsonNode> parts;
    private String epoch = "";

    @BeforeEach
    void open() throws Exception {
        control = TestControl.with(TestControl.NO_LIMITS);
        alice = control.newAccount();
        bob = control.newAccount();
        secret(alice, "KEY", "one");
        secret(bob, "KEY", "two");
        alice.post("/v1/workloads", "{\"name\": \"ci\"}");
        token = control.addShared("eu-1", "eu");
        stream = FeedStream.open(control.address(), token, "Sallyport-Key", KEY);
        parts = all();
        assertThat(parts).containsOnlyKeys(organization(alice), organization(bob));
        stream.close();
    }

    @AfterEach
    void close() {
        stream.close();
        control.close();
    }

    private static String organization(Api api) {
        return api.get("/v1/me").json().at("/organization/id").asText();
    }

    private static String secret(Api api, String name, String value) {
        Api.Reply made = api.post(
                "/v1/secrets",
                "{\"name\": \"" + name + "\", \"secret\": \"" + value + "\", \"env_var\": \"" + name + "\"}");
        return "/v1/secrets/" + made.json().path("id").asText();
    }

    /** Takes events until there was a word of each account; those that are kept have an empty part. */
    private Map<String, JsonNode> all() throws Exception {
        Map<String, JsonNode> told = new HashMap<>();
        List<String> only = new ArrayList<>();
        do {
            FeedStream.Event event = stream.next("accounts");
            epoch = event.data().path("epoch").asText();
            event.data().path("only").forEach(id -> only.add(id.asText()));
            event.data()
                    .path("accounts")
                    .forEach(part -> told.put(part.path("account").asText(), part));
            event.data().path("kept").forEach(id -> told.put(id.asText(), JsonNodeFactory.instance.objectNode()));
            stream.acknowledgeAccounts(control.address(), event, "\"problems\": []");
        } while (told.size() < only.size());
        return told;
    }

    private static Stream<String> lines(String kind, JsonNode callers) {
        return StreamSupport.stream(callers.spliterator(), false)
                .map(caller -> kind + " " + caller.path("id").asText() + " "
                        + HexFormat.of()
                                .formatHex(Base64.getDecoder()
                                        .decode(caller.path("sha256").asText()))
                        + "\n")
                .sorted();
    }

    private static String callers(JsonNode part) {
        StringBuilder text = new StringBuilder();
        lines("workload", part.path("workloads")).forEach(text::append);
        lines("key", part.path("keys")).forEach(text::append);
        return Tokens.hash(text.toString());
    }

    private String held(String ofEpoch) {
        ObjectNode held = JsonNodeFactory.instance.objectNode().put("epoch", ofEpoch);
        ArrayNode list = held.putArray("accounts");
        parts.forEach((account, part) -> list.addObject()
                .put("account", account)
                .put("hash", part.path("hash").asText())
                .put("pipeline", Tokens.hash(part.path("pipeline").asText()))
                .put("callers", callers(part)));
        return held.toString();
    }

    private Map<String, JsonNode> resumed() throws Exception {
        stream = FeedStream.resume(control.address(), token, KEY, held(epoch));
        return all();
    }

    @Test
    void ofWhatIsAsItWasTheNameIsEnough() throws Exception {
        Map<String, JsonNode> told = resumed();

        assertThat(told.values()).hasSize(2).allMatch(JsonNode::isEmpty);
    }

    /** One of the accounts, and of that the pipeline alone. */
    @Test
    void anotherRuleIsAnotherPipelineWithTheSameSecrets() throws Exception {
        bob.post("/v1/egress/rules", "{\"host\": \"b.example\"}");

        Map<String, JsonNode> told = resumed();

        assertThat(told.get(organization(alice))).isEmpty();
        JsonNode his = told.get(organization(bob));
        assertThat(his.path("pipeline").asText()).contains("b.example");
        assertThat(his.has("secrets")).isFalse();
    }

    @Test
    void anotherValueComesWithoutThePipeline() throws Exception {
        String path = secret(alice, "LATER", "three");
        stream = FeedStream.resume(control.address(), token, KEY, held(epoch));
        parts = all();
        assertThat(parts.get(organization(bob))).isEmpty();
        stream.close();
        parts.remove(organization(bob));
        alice.patch(path, "{\"secret\": \"four\"}");

        JsonNode hers = resumed().get(organization(alice));

        assertThat(hers.path("pipeline_hash").asText())
                .isEqualTo(Tokens.hash(
                        parts.get(organization(alice)).path("pipeline").asText()));
        assertThat(hers.has("pipeline")).isFalse();
        assertThat(hers.path("secrets").path("secrets")).hasSize(2);
    }

    @Test
    void anotherCallerComesWithoutPipelineAndSecrets() throws Exception {
        JsonNode made = alice.post("/v1/workloads", "{\"name\": \"late\"}").json();

        Map<String, JsonNode> told = resumed();

        assertThat(told.get(organization(bob))).isEmpty();
        JsonNode hers = told.get(organization(alice));
        assertThat(hers.path("workloads").findValuesAsText("id"))
                .hasSize(2)
                .contains(made.path("user").asText());
        assertThat(hers.has("secrets")).isFalse();
        assertThat(hers.has("pipeline_hash")).isTrue();
    }

    /** What is of another epoch, such as of before a restore, counts for nothing. */
    @Test
    void whatIsOfAnotherEpochIsSentWhole() throws Exception {
        stream = FeedStream.resume(control.address(), token, KEY, held("another"));

        assertThat(all().values()).hasSize(2).allMatch(part -> part.has("pipeline") && part.has("secrets"));
    }

    /** What is kept is what it is to have: it waits for nothing, and the next change is a difference from it. */
    @Test
    void whatChangesAfterwardsIsADifference() throws Exception {
        resumed();
        alice.patch(secretPath(alice), "{\"secret\": \"five\"}");

        FeedStream.Event event = stream.next("accounts");

        JsonNode hers = event.data().path("accounts").path(0);
        assertThat(hers.path("account").asText()).isEqualTo(organization(alice));
        assertThat(hers.has("pipeline_hash")).isTrue();
        assertThat(hers.at("/secrets/whole").asBoolean()).isFalse();
        assertThat(hers.at("/secrets/secrets")).hasSize(1);
    }

    private static String secretPath(Api api) {
        return "/v1/secrets/" + api.get("/v1/secrets").json().at("/data/0/id").asText();
    }

    @Test
    void whatIsNoHoldingIsRefused() throws Exception {
        Api proxy = control.anonymous().withKey(token);

        assertThat(proxy.post("/v1/feed", "{\"epoch\": \"e\", \"accounts\": [{\"account\": 1}]}")
                        .status())
                .isEqualTo(422);
        assertThat(proxy.post("/v1/feed", "{\"epoch\": \"" + "e".repeat(100) + "\", \"accounts\": []}")
                        .fields())
                .containsExactly("epoch");
    }
}
