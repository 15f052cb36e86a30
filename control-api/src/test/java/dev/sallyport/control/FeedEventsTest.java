package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.audit.ObservedEgress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code POST /v1/feed/events}: docs/spec/decisions.md, section 16: an event is there exactly once. */
@Timeout(60)
class FeedEventsTest {

    private static final String PATH = "/v1/feed/events";

    private final TestControl control = TestControl.shared();
    private final Api api = control.newAccount();
    private Api proxy;

    @BeforeEach
    void aProxy() {
        proxy = proxy(api, "p");
    }

    private static Api proxy(Api owner, String name) {
        return owner.withKey(owner.post("/v1/proxies", "{\"name\": \"" + name + "\"}")
                .data()
                .path("token")
                .asText());
    }

    private static String event(String host, String more) {
        return "{\"timestamp\": \"2026-01-02T03:04:05.678Z\", \"workload\": \"\", \"host\": \"" + host
                + "\", \"protocol\": \"tls\", \"verdict\": \"allowed\", \"allowed\": true, \"mode\": \"enforce\", \"replacements\": []"
                + more + "}";
    }

    private static String batch(String epoch, long first, String... hosts) {
        return "{\"epoch\": \"" + epoch + "\", \"first\": " + first + ", \"events\": ["
                + Stream.of(hosts).map(host -> event(host, "")).collect(Collectors.joining(",")) + "]}";
    }

    private static JsonNode events(Api owner) {
        return owner.get("/v1/audit/egress?order=asc&limit=500").data();
    }

    private long deliver(String json) {
        Api.Reply reply = proxy.post(PATH, json);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.json().path("position").asLong();
    }

    @Test
    void whatAProxySawIsInTheListOfItsOrganization() {
        String event =
                "{\"timestamp\": \"2026-01-02T03:04:05.678Z\", \"workload\": \"user:ada\", \"host\": \"10.1.2.3\", "
                        + "\"cidr\": \"10.0.0.0/8\", \"protocol\": \"http\", \"verdict\": \"denied\", \"allowed\": true, \"mode\": \"warn\", \"dial\": \"connected\", "
                        + "\"replacements\": [{\"secret\": \"K\", \"location\": \"header:Authorization\"}]}";

        assertThat(deliver("{\"epoch\": \"e\", \"first\": 0, \"events\": [" + event + "]}"))
                .isZero();

        JsonNode seen = events(api).get(0);
        assertThat(seen.path("timestamp").asText()).isEqualTo("2026-01-02T03:04:05.678Z");
        assertThat(seen.path("vm_id").isNull()).isTrue();
        assertThat(seen.path("host").asText()).isEqualTo("10.1.2.3");
        assertThat(seen.path("cidr").asText()).isEqualTo("10.0.0.0/8");
        assertThat(seen.path("protocol").asText()).isEqualTo("http");
        assertThat(seen.path("verdict").asText()).isEqualTo("denied");
        assertThat(seen.path("allowed").asBoolean()).isTrue();
        assertThat(seen.path("mode").asText()).isEqualTo("warn");
        assertThat(seen.path("dial").asText()).isEqualTo("connected");
        assertThat(seen.path("replacements"))
                .isEqualTo(Api.tree("[{\"secret\": \"K\", \"location\": \"header:Authorization\"}]"));
    }

    @Test
    void eachEventIsThereOnceHoweverOftenItComes() {
        assertThat(deliver(batch("e", 0, "a.test", "b.test"))).isEqualTo(1);
        assertThat(deliver(batch("e", 0, "a.test", "b.test"))).isEqualTo(1);
        assertThat(deliver(batch("e", 1, "b.test", "c.test"))).isEqualTo(2);
        assertThat(deliver(batch("e", 0, "a.test"))).as("what is here").isEqualTo(2);
        assertThat(deliver(batch("f", 0, "d.test"))).as("another epoch").isZero();
        assertThat(deliver(batch("e", 7, "e.test"))).as("some were left out").isEqualTo(7);

        assertThat(events(api).findValuesAsText("host"))
                .containsExactlyInAnyOrder("a.test", "b.test", "c.test", "d.test", "e.test");
    }

    /** The token says whose events they are, and nothing else does. */
    @Test
    void aProxyWritesForNobodyElse() {
        Api other = control.newAccount();
        Api stranger = proxy(other, "q");
        Api sibling = proxy(api, "r");
        assertThat(deliver(batch("e", 0, "a.test", "b.test"))).isEqualTo(1);

        assertThat(stranger.post(PATH, batch("e", 0, "foreign.test"))
                        .json()
                        .path("position")
                        .asLong())
                .as("the same epoch of another proxy")
                .isZero();
        assertThat(sibling.post(PATH, batch("e", 0, "sibling.test")).status()).isEqualTo(200);
        for (String field : new String[] {"proxy", "proxy_id", "organization", "organization_id"}) {
            String claimed = batch("e", 1, "claimed.test")
                    .replace("{\"epoch\"", "{\"" + field + "\": \"" + EgressEvents.organization(api) + "\", \"epoch\"");
            assertThat(stranger.post(PATH, claimed).error()).isEqualTo("422 validation_error");
        }

        assertThat(events(api).findValuesAsText("host")).containsExactlyInAnyOrder("a.test", "b.test", "sibling.test");
        assertThat(events(other).findValuesAsText("host")).containsExactly("foreign.test");
    }

    @Test
    void onlyTokensOfProxiesAreTaken() {
        assertThat(api.post(PATH, batch("e", 0, "a.test")).status()).isEqualTo(401);
        assertThat(api.withKey(null).post(PATH, batch("e", 0, "a.test")).status())
                .isEqualTo(401);
        Api deleted = proxy(api, "gone");
        String id = "";
        for (JsonNode made : api.get("/v1/proxies").data()) {
            id = made.path("name").asText().equals("gone") ? made.path("id").asText() : id;
        }
        assertThat(api.delete("/v1/proxies/" + id).status()).isEqualTo(204);
        assertThat(deleted.post(PATH, batch("e", 0, "a.test")).error()).isEqualTo("401 proxy_revoked");
        assertThat(events(api)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no JSON                                                                | 400 bad_request",
                "''                                                                     | 400 bad_request",
                "{}                                                                     | 422 validation_error",
                "{\"epoch\": \"e\", \"first\": 0, \"events\": []}                       | 422 validation_error",
                "{\"epoch\": \"\", \"first\": 0, \"events\": [EVENT]}                   | 422 validation_error",
                "{\"epoch\": \"a b\", \"first\": 0, \"events\": [EVENT]}                | 422 validation_error",
                "{\"epoch\": \"e\", \"first\": -1, \"events\": [EVENT]}                 | 422 validation_error",
                "{\"epoch\": \"e\", \"first\": 9223372036854775807, \"events\": [EVENT]} | 422 validation_error",
                "{\"epoch\": \"e\", \"first\": 0, \"events\": [{}]}                     | 422 validation_error",
                "{\"epoch\": \"e\", \"first\": 0, \"events\": [null]}                   | 422 validation_error",
                "{\"epoch\": \"e\", \"first\": 0, \"events\": \"all\"}                  | 422 validation_error",
            })
    void garbageIsRefusedAndNothingOfItKept(String body, String error) {
        assertThat(proxy.post(PATH, body.replace("EVENT", event("a.test", ""))).error())
                .isEqualTo(error);
        assertThat(events(api)).isEmpty();
    }

    @Test
    void aBatchWithOneBadEventIsRefusedAsAWholeAndTheEventNamed() {
        String body = "{\"epoch\": \"e\", \"first\": 0, \"events\": [" + event("good.test", "") + ","
                + event("x".repeat(300), "") + "]}";

        Api.Reply reply = proxy.post(PATH, body);

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly("events[1].host");
        assertThat(events(api)).isEmpty();
    }

    @Test
    void moreThanAThousandAreRefused() {
        String[] hosts = IntStream.range(0, 1001).mapToObj(i -> "h" + i).toArray(String[]::new);

        assertThat(proxy.post(PATH, batch("e", 0, hosts)).error()).isEqualTo("422 validation_error");
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return out.toByteArray();
    }

    @Test
    void batchesMayBeCompressed() throws Exception {
        String[] hosts =
                IntStream.range(0, 500).mapToObj(i -> "h" + i + ".test").toArray(String[]::new);

        Api.Reply reply =
                proxy.withHeader("Content-Encoding", "gzip").sendBytes("POST", PATH, gzip(batch("e", 0, hosts)));

        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        assertThat(reply.json().path("position").asLong()).isEqualTo(499);
        assertThat(events(api)).hasSize(500);
    }

    @Test
    void whatIsTooLongIsRefusedCompressedOrNot() throws Exception {
        String large = batch("e", 0, "a.test") + " ".repeat(3 << 20);

        assertThat(proxy.post(PATH, large).error()).isEqualTo("413 payload_too_large");
        assertThat(proxy.withHeader("Content-Encoding", "gzip")
                        .sendBytes("POST", PATH, gzip(large))
                        .error())
                .isEqualTo("413 payload_too_large");
        assertThat(events(api)).isEmpty();
    }

    /** A proxy without a folder begins an epoch at each start: what is kept of them is bounded. */
    @Test
    void ofManyEpochsTheLastAreKnown() throws Exception {
        for (int i = 0; i < 110; i++) {
            deliver(batch("e" + i, 0, "a.test"));
        }
        assertThat(events(api)).hasSize(110);
        String id = api.get("/v1/proxies").data().get(0).path("id").asText();
        assertThat(control.number("select count(*) from egress_source where proxy_id = '" + id + "'"))
                .isBetween(100L, 101L);

        deliver(batch("e109", 0, "a.test"));
        assertThat(events(api)).as("a known one").hasSize(110);
    }

    /** What proxies cut texts to is what is taken here, in characters, and not one more. */
    @Test
    void theLongestTextsAreTakenAndLongerOnesAreNot() {
        assertThat(proxy.post(PATH, longest(0)).status()).isEqualTo(200);
        JsonNode seen = events(api).get(0);
        assertThat(seen.path("replacements")).hasSize(4);
        assertThat(seen.at("/replacements/0/location").asText()).endsWith("\uD83D\uDE00");

        Api.Reply longer = proxy.post(PATH, longest(1));
        assertThat(longer.error()).isEqualTo("422 validation_error");
        assertThat(longer.fields())
                .contains(
                        "events[0].host",
                        "events[0].cidr",
                        "events[0].workload",
                        "events[0].replacements[0].secret",
                        "events[0].replacements[0].location");
    }

    private static String longest(int more) {
        String replacement = "{\"secret\": \"" + "\uD83D\uDE00".repeat(ObservedEgress.LONGEST_SECRET + more)
                + "\", \"location\": \"" + "\uD83D\uDE00".repeat(ObservedEgress.LONGEST_LOCATION + more) + "\"}";
        String event = "{\"timestamp\": \"2026-01-02T03:04:05.678Z\", \"workload\": \""
                + "w".repeat(ObservedEgress.LONGEST_WORKLOAD + more) + "\", \"host\": \""
                + "h".repeat(ObservedEgress.LONGEST_HOST + more) + "\", \"cidr\": \""
                + "1".repeat(ObservedEgress.LONGEST_RANGE + more)
                + "\", \"protocol\": \"tls\", \"verdict\": \"allowed\", \"allowed\": true, \"mode\": \"enforce\", \"replacements\": ["
                + String.join(",", Collections.nCopies(4, replacement)) + "]}";
        return "{\"epoch\": \"e\", \"first\": " + more + ", \"events\": [" + event + "]}";
    }

    private static String replacements(int many, int chars) {
        String replacement = "{\"secret\": \"S\", \"location\": \"" + "l".repeat(chars - 1) + "\"}";
        return event("a.test", "")
                .replace(
                        "\"replacements\": []",
                        "\"replacements\": [" + String.join(",", Collections.nCopies(many, replacement)) + "]");
    }

    private static String one(long first, String event) {
        return "{\"epoch\": \"e\", \"first\": " + first + ", \"events\": [" + event + "]}";
    }

    /** The same bound as for events of the proxy in this process: it is not for a workload to decide what one takes. */
    @Test
    void replacementsHaveABoundTogether() {
        int many = 64;
        int chars = ObservedEgress.MOST_REPLACEMENT_CHARS / many;
        assertThat(proxy.post(PATH, one(0, replacements(ObservedEgress.MOST_REPLACEMENTS, 100)))
                        .status())
                .isEqualTo(200);
        assertThat(proxy.post(PATH, one(1, replacements(many, chars))).status()).isEqualTo(200);

        Api.Reply refused = proxy.post(PATH, one(2, replacements(many, chars + 1)));

        assertThat(refused.error()).isEqualTo("422 validation_error");
        assertThat(refused.fields()).containsExactly("events[0].replacements");
        assertThat(events(api)).hasSize(2);
    }

    /** Few heavy events take as much of the database as many light ones. */
    @Test
    void bytesOfEventsAreCountedAgainstTheOrganizationToo() {
        try (TestControl narrow =
                TestControl.with(TestControl.NO_LIMITS + "  feed: {events_per_second: 1, events_burst: 20}\n")) {
            Api one = proxy(narrow.newAccount(), "one");
            Api stranger = proxy(narrow.newAccount(), "p");
            assertThat(one.post(PATH, one(0, replacements(60, 256))).status()).isEqualTo(200);

            assertThat(one.post(PATH, batch("e", 1, "a")).error()).isEqualTo("429 rate_limited");
            assertThat(stranger.post(PATH, batch("e", 0, "a")).status()).isEqualTo(200);
        }
    }

    /** All tenants share a database: events of one organization wait when it has delivered too many. */
    @Test
    void anOrganizationThatFloodsIsToldToComeLaterAndOthersAreNot() {
        try (TestControl narrow =
                TestControl.with(TestControl.NO_LIMITS + "  feed: {events_per_second: 2, events_burst: 5}\n")) {
            Api owner = narrow.newAccount();
            Api one = proxy(owner, "one");
            Api two = proxy(owner, "two");
            Api stranger = proxy(narrow.newAccount(), "p");
            assertThat(one.post(PATH, batch("e", 0, "a", "b", "c", "d", "e", "f", "g", "h", "i"))
                            .status())
                    .isEqualTo(200);

            Api.Reply refused = two.post(PATH, batch("e", 0, "a"));

            assertThat(refused.error()).isEqualTo("429 rate_limited");
            assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(1, 4);
            assertThat(one.post(PATH, "no JSON").error()).isEqualTo("429 rate_limited");
            assertThat(stranger.post(PATH, batch("e", 0, "a")).status()).isEqualTo(200);
            assertThat(owner.get("/v1/audit/egress").data()).hasSize(9);
            await().until(() -> two.post(PATH, batch("e", 0, "a")).status() == 200);
        }
    }
}
