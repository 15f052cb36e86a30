package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressFacts;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.testsupport.Patience;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v1/audit/egress}: the list, the export and the stream. */
@Timeout(60)
class EgressAuditApiTest {

    private static final String PATH = "/v1/audit/egress";
    private static final Instant START = Instant.parse("2026-01-02T03:04:05.678Z");

    private final TestControl control = TestControl.shared();
    private Api api;
    private String organization;

    @BeforeEach
    void signUp() {
        api = control.newAccount();
        organization = EgressEvents.organization(api);
    }

    private void arrive(EgressFacts... events) {
        EgressEvents.arrive(control, organization, List.of(events));
    }

    private static EgressFacts at(int millis, String host) {
        return EgressEvents.facts(START.plusMillis(millis), host, EgressEvents.ALLOWED);
    }

    private List<String> hosts(String query) {
        Api.Reply reply = api.get(PATH + query);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.data().findValuesAsText("host");
    }

    @Test
    void anEventHasAllKeys() {
        arrive(new EgressFacts(
                START,
                null,
                new EgressFacts.Target("Api.test", null, EgressEvent.Protocol.TLS),
                EgressEvents.DENIED,
                List.of(new EgressEvent.Replacement("github", "header:Authorization"))));

        JsonNode event = api.get(PATH).data().get(0);

        assertThat(event.propertyStream().map(Map.Entry::getKey))
                .containsExactly(
                        "id",
                        "timestamp",
                        "vm_id",
                        "host",
                        "cidr",
                        "protocol",
                        "verdict",
                        "allowed",
                        "mode",
                        "dial",
                        "replacements");
        assertThat(((ObjectNode) event).<JsonNode>without("id"))
                .isEqualTo(
                        Api.tree(
                                "{\"timestamp\": \"2026-01-02T03:04:05.678Z\", \"vm_id\": null, \"host\": \"api.test\", \"cidr\": null, \"protocol\": \"tls\", \"verdict\": \"denied\", \"allowed\": false, \"mode\": \"enforce\", \"dial\": null, \"replacements\": [{\"secret\": \"github\", \"location\": \"header:Authorization\"}]}"));
    }

    @Test
    void requestsAreCountedByHour() {
        arrive(
                at(0, "a.test"),
                at(1, "A.test"),
                EgressEvents.facts(START, "b.test", EgressEvents.DENIED),
                EgressEvents.facts(START, "b.test", EgressEvents.WARNED),
                at(3_600_000, "a.test"));

        JsonNode page = api.get(PATH + "/hours?limit=1").json();
        assertThat(page.at("/data/0/id").asText()).matches("hr_[0-9a-z]{26}");
        assertThat(((ObjectNode) page.at("/data/0")).<JsonNode>without("id"))
                .isEqualTo(
                        Api.tree(
                                "{\"hour\": \"2026-01-02T04:00:00.000Z\", \"host\": \"a.test\", \"verdict\": \"allowed\", \"allowed\": true, \"requests\": 1}"));
        String cursor = page.path("cursor").asText();
        assertThat(api.get(PATH + "/hours?cursor=" + cursor).data()).hasSize(3);
        assertThat(api.get(PATH + "/hours?order=asc&cursor=" + cursor).fields()).containsExactly("cursor");
        assertThat(api.get(PATH + "/hours?host=a.TEST&order=asc").data().findValuesAsText("requests"))
                .containsExactly("2", "1");
        assertThat(hosts("/hours?verdict=denied&allowed=true")).containsExactly("b.test");
        assertThat(hosts("/hours?since=2026-01-02T03:00:00.001Z")).containsExactly("a.test");
        assertThat(hosts("/hours?until=2026-01-02T03:00:00Z")).isEmpty();
        assertThat(hosts("/hours?until=2026-01-02")).isEmpty();
        assertThat(api.get(PATH + "/hours?limit=501").fields()).containsExactly("limit");
        assertThat(api.get("/v1/audit/admin?action=read").text()).contains("hours");
    }

    @Test
    void theFiltersAreExactAndCombined() {
        arrive(
                EgressEvents.facts(START, "allowed.test", EgressEvents.ALLOWED),
                EgressEvents.facts(START.plusMillis(1), "denied.test", EgressEvents.DENIED),
                EgressEvents.facts(START.plusMillis(2), "warned.test", EgressEvents.WARNED),
                new EgressFacts(
                        START.plusMillis(3),
                        "vm_00000000000000000000000000",
                        new EgressFacts.Target("10.0.0.1", "10.0.0.0/8", EgressEvent.Protocol.TCP),
                        new EgressFacts.Outcome(
                                EgressEvent.Verdict.ALLOWED, true, EgressMode.ENFORCE, EgressEvent.Dial.FAILED),
                        List.of()));

        assertThat(hosts("?dial=failed")).containsExactly("10.0.0.1");
        assertThat(hosts("?dial=failed&verdict=allowed&host=10.0.0.1")).containsExactly("10.0.0.1");
        assertThat(hosts("?dial=connected")).isEmpty();
        assertThat(api.get(PATH + "?dial=failed").data().at("/0/dial").asText()).isEqualTo("failed");
        assertThat(hosts("?verdict=denied")).containsExactly("warned.test", "denied.test");
        assertThat(hosts("?allowed=true&verdict=denied")).containsExactly("warned.test");
        assertThat(hosts("?allowed=false")).containsExactly("denied.test");
        assertThat(hosts("?mode=warn")).containsExactly("warned.test");
        assertThat(hosts("?host=Denied.TEST")).containsExactly("denied.test");
        assertThat(hosts("?host=test")).isEmpty();
        assertThat(hosts("?cidr=10.0.0.0/8")).containsExactly("10.0.0.1");
        assertThat(hosts("?protocol=tcp")).containsExactly("10.0.0.1");
        assertThat(hosts("?vm_id=vm_00000000000000000000000000")).containsExactly("10.0.0.1");
        assertThat(hosts("?vm_id=vm_unknown")).isEmpty();
        assertThat(hosts("?since=2026-01-02T03:04:05.679Z&until=2026-01-02T03:04:05.681Z"))
                .containsExactly("warned.test", "denied.test");
        assertThat(hosts("?since=2026-01-02T03:04:05.6785Z&order=asc&limit=1")).containsExactly("denied.test");
        assertThat(hosts("?since=2026-01-03T00:00:00Z&until=2026-01-02T00:00:00Z"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "verdict=maybe",
                "allowed=yes",
                "mode=off",
                "dial=maybe",
                "protocol=udp",
                "since=yesterday",
                "until=1",
                "limit=0",
                "limit=501",
                "order=up",
                "cursor=x",
                "cursor=key_00000000000000000000000000",
                "host=a&host=b"
            })
    void badParametersAre422(String query) {
        assertThat(api.get(PATH + "?" + query).error()).isEqualTo("422 validation_error");
    }

    @Test
    void theCursorIsAnIdentifierAndStaysWhereItIs() {
        arrive(IntStream.range(0, 5).mapToObj(i -> at(10 * i, "h" + i)).toArray(EgressFacts[]::new));
        JsonNode first = api.get(PATH + "?limit=2").json();
        arrive(at(100, "late-and-new"), at(25, "late-and-old"));

        JsonNode second = api.get(
                        PATH + "?limit=2&cursor=" + first.path("cursor").asText())
                .json();

        assertThat(first.path("cursor")).isEqualTo(first.at("/data/1/id"));
        assertThat(first.path("data").findValuesAsText("host")).containsExactly("h4", "h3");
        assertThat(second.path("data").findValuesAsText("host")).containsExactly("late-and-old", "h2");
        JsonNode full = api.get(PATH + "?limit=7").json();
        assertThat(full.path("has_more").asBoolean(true)).isFalse();
        assertThat(full.path("cursor").isNull()).isTrue();
    }

    @Test
    void aPageHas50EventsUnlessTheLimitSaysElse() {
        arrive(IntStream.range(0, 501).mapToObj(i -> at(i, "h")).toArray(EgressFacts[]::new));

        assertThat(api.get(PATH).data()).hasSize(50);
        assertThat(api.get(PATH + "?limit=500").data()).hasSize(500);
    }

    @Test
    void readingIsRecordedOnceForTheSameReaderAndFilters() {
        api.get(PATH + "?host=a.test");
        api.get(PATH + "?host=a.test&limit=3&order=asc");
        api.get(PATH + "?verdict=denied");
        api.get(PATH + "/export?verdict=denied");
        api.get(PATH + "?verdict=maybe");
        api.get(PATH + "?host=a.test&since=2026-01-01T00:00:00Z");
        api.get(PATH + "?host=a.test&until=2026-01-01T00:00:00Z");

        JsonNode reads = api.get("/v1/audit/admin?action=read&order=asc").data();

        assertThat(reads.findValuesAsText("resource"))
                .containsOnly("egress_audit")
                .hasSize(3);
        assertThat(reads.findValuesAsText("form")).containsExactly("list", "list", "export");
        assertThat(reads.at("/0/after/subject/host").asText()).isEqualTo("a.test");
        assertThat(reads.at("/1/after/outcome/verdict").asText()).isEqualTo("denied");
        assertThat(reads.at("/0/actor/api_key_id").asText()).startsWith("key_");
    }

    @Test
    void manyReadsOfAMinuteAreNotManyRecords() {
        for (int i = 0; i < 30; i++) {
            api.get(PATH + "?host=h" + i);
        }

        JsonNode reads =
                api.get("/v1/audit/admin?action=read&order=asc&limit=100").data();

        assertThat(reads).hasSize(21);
        assertThat(reads.at("/19/after/subject/host").asText()).isEqualTo("h19");
        assertThat(reads.at("/20/after")).isEqualTo(Api.tree("{\"form\": \"others\", \"more_than\": 20}"));
    }

    @Test
    void anExportThatCannotGoOnIsCut() throws Exception {
        arrive(IntStream.range(0, 1001).mapToObj(i -> at(i, "h" + i)).toArray(EgressFacts[]::new));
        control.execute("update egress_event set replacements = 'x' where host = 'h1000' and organization_id = '"
                + organization + "'");
        HttpRequest request = HttpRequest.newBuilder(URI.create(control.address() + PATH + "/export?order=asc"))
                .header("Authorization", "Bearer " + api.key())
                .build();

        try (HttpClient client = HttpClient.newHttpClient()) {
            assertThatThrownBy(() -> client.send(request, HttpResponse.BodyHandlers.ofString()))
                    .isInstanceOf(IOException.class);
        }
        assertThat(api.get(PATH + "/export?order=desc").error()).isEqualTo("500 internal_error");
    }

    /** An export of much, by a client that takes little. */
    private Socket slowExport() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(
                control.address().getHost(), control.address().getPort()));
        socket.getOutputStream()
                .write(("GET " + PATH + "/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + api.key()
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                .isEqualTo("HTTP/1.1 200");
        return socket;
    }

    @Test
    void anAccountHasTwoExportsAtOnceAtMost() throws Exception {
        String long250 = "h".repeat(250);
        for (int batch = 0; batch < 20; batch++) {
            arrive(IntStream.range(1000 * batch, 1000 * batch + 1000)
                    .mapToObj(i -> at(i, long250))
                    .toArray(EgressFacts[]::new));
        }
        String one = PATH + "/export?host=none";
        try (Socket first = slowExport();
                Socket second = slowExport()) {
            assertThat(api.get(one).error()).isEqualTo("409 quota_exceeded");
            assertThat(api.send("HEAD", one, null).status()).isEqualTo(200);
            assertThat(control.newAccount().get(one).status()).isEqualTo(200);
            assertThat(first.isConnected() && second.isConnected()).isTrue();
        }
        Awaitility.await()
                .atMost(Patience.usual())
                .untilAsserted(() -> assertThat(api.get(one).status()).isEqualTo(200));
        for (int i = 0; i < 5; i++) {
            assertThat(api.get(one).status()).as("those before are over").isEqualTo(200);
        }
    }

    @Test
    void theExportHasALineForEachEvent() {
        arrive(IntStream.range(0, 1201).mapToObj(i -> at(i, "h" + i % 2)).toArray(EgressFacts[]::new));

        Api.Reply reply = api.get(PATH + "/export?host=h0&order=asc");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo("application/x-ndjson");
        List<JsonNode> lines = reply.text().lines().map(Api::tree).toList();
        assertThat(lines)
                .hasSize(601)
                .allMatch(line -> line.path("host").asText().equals("h0"));
        assertThat(lines.stream().map(line -> line.path("timestamp").asText())).isSorted();
        assertThat(lines.getFirst())
                .isEqualTo(api.get(PATH + "?host=h0&order=asc&limit=1").data().get(0));
        assertThat(api.get(PATH + "/export?host=none").text()).isEmpty();
        assertThat(api.get(PATH + "/export?order=up").error()).isEqualTo("422 validation_error");
    }

    /** An open stream. */
    private static final class Stream implements AutoCloseable {

        private final HttpClient client = HttpClient.newHttpClient();
        private final HttpResponse<InputStream> response;
        private final BufferedReader lines;

        Stream(TestControl control, Api api, String query, @Nullable String after) throws Exception {
            HttpRequest.Builder request = HttpRequest.newBuilder(
                            URI.create(control.address() + PATH + "/stream" + query))
                    .header("Authorization", "Bearer " + api.key())
                    .header("Accept", "*/*"); // as most clients say
            if (after != null) {
                request.header("Last-Event-ID", after);
            }
            response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
        }

        /** The fields of the next event; empty at the end. */
        Map<String, String> next() throws IOException {
            Map<String, String> fields = new HashMap<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isEmpty()) {
                    return fields;
                }
                int colon = line.indexOf(':');
                fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
            return fields;
        }

        @Override
        public void close() {
            client.shutdownNow();
        }
    }

    private static String host(Map<String, String> event) {
        return Api.tree(event.get("data")).path("host").asText();
    }

    @Test
    void theStreamHasEventsAsTheyArriveAndGoesOnWhereItEnded() throws Exception {
        arrive(at(0, "before"));
        String last;
        try (Stream stream = new Stream(control, api, "", null)) {
            assertThat(stream.response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
            assertThat(stream.next()).containsEntry("event", "hello").containsEntry("data", "{\"resumed\":false}");
            arrive(at(1000, "one"), at(-1000, "late"));

            assertThat(host(stream.next())).isEqualTo("one");
            Map<String, String> late = stream.next();
            assertThat(host(late)).isEqualTo("late");
            last = late.get("id");
        }
        arrive(at(-5000, "while away"));
        try (Stream stream = new Stream(control, api, "", last)) {
            assertThat(stream.next()).containsEntry("data", "{\"resumed\":true}");
            assertThat(host(stream.next())).isEqualTo("while away");
        }
    }

    @Test
    void theStreamIsFilteredAndHasNothingOfOtherAccounts() throws Exception {
        Api other = control.newAccount();
        try (Stream stream = new Stream(control, api, "?verdict=denied", null)) {
            stream.next();
            EgressFacts theirs = EgressEvents.facts(START, "theirs", EgressEvents.DENIED);
            EgressEvents.arrive(control, EgressEvents.organization(other), List.of(theirs));
            arrive(at(0, "allowed"));
            arrive(EgressEvents.facts(START, "denied", EgressEvents.DENIED));

            assertThat(host(stream.next())).isEqualTo("denied");
        }
    }

    @Test
    void moreEventsThanWaitForAClientAreAllThere() throws Exception {
        try (Stream stream = new Stream(control, api, "", null)) {
            stream.next();
            List<String> sent = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                int from = 100 * i;
                EgressFacts[] batch = IntStream.range(from, from + 100)
                        .mapToObj(n -> at(n, "h" + n))
                        .toArray(EgressFacts[]::new);
                arrive(batch);
                for (EgressFacts facts : batch) {
                    sent.add(facts.target().host());
                }
            }
            List<String> seen = new ArrayList<>();
            while (seen.size() < sent.size()) {
                seen.add(host(stream.next()));
            }

            assertThat(seen).isEqualTo(sent);
        }
    }

    @Test
    void whereAStreamIsTellsNothingOfOtherAccounts() throws Exception {
        try (Stream stream = new Stream(control, api, "", null)) {
            String begin = stream.next().get("id");
            arrive(at(0, "one"));

            assertThat(List.of(begin, stream.next().get("id")))
                    .doesNotHaveDuplicates()
                    .allMatch(id -> id.matches("[A-Za-z0-9_-]{22}"));
        }
    }

    @Test
    void aPositionOfNothingBeginsNowAndSaysSo() throws Exception {
        for (String position : List.of("x", "ee_00000000000000000000000000", "other:5", "")) {
            try (Stream stream = new Stream(control, api, "", position)) {
                assertThat(stream.next()).as(position).containsEntry("data", "{\"resumed\":false}");
            }
        }
    }

    @Test
    void theStreamEndsWhenTheKeyIsRevoked() throws Exception {
        Api.Reply key = api.post("/v1/api-keys", "{\"name\": \"short\"}");
        Api brief = api.withKey(key.json().path("token").asText());
        try (Stream stream = new Stream(control, brief, "", null)) {
            stream.next();
            api.delete("/v1/api-keys/" + key.json().path("id").asText());

            assertThat(stream.next()).isEmpty();
        }
    }

    @Test
    void anAccountHasTenStreamsAtMost() throws Exception {
        List<Stream> open = new ArrayList<>();
        try {
            for (int i = 0; i < 10; i++) {
                Stream stream = new Stream(control, api, "", null);
                stream.next();
                open.add(stream);
            }
            assertThat(api.get(PATH + "/stream").error()).isEqualTo("409 quota_exceeded");
        } finally {
            open.forEach(Stream::close);
        }
        Awaitility.await().atMost(Patience.usual()).untilAsserted(() -> {
            try (Stream stream = new Stream(control, api, "", null)) {
                assertThat(stream.response.statusCode()).isEqualTo(200);
            }
        });
    }

    @Test
    void theHeadOfAStreamTellsItsTypeWhateverIsAccepted() {
        for (String accepted : List.of("*/*", "application/json", "text/event-stream")) {
            Api.Reply head = api.withHeader("Accept", accepted).send("HEAD", PATH + "/stream", null);

            assertThat(head.status()).as(accepted).isEqualTo(200);
            assertThat(head.header("Content-Type")).as(accepted).isEqualTo("text/event-stream");
        }
    }

    @Test
    void aStreamWithBadParametersIs422AndWithoutAKey401() {
        assertThat(api.get(PATH + "/stream?verdict=maybe").error()).isEqualTo("422 validation_error");
        assertThat(control.anonymous().get(PATH + "/stream").error()).isEqualTo("401 unauthorized");
        for (int i = 0; i < 11; i++) {
            assertThat(api.send("HEAD", PATH + "/stream", null).status()).isEqualTo(200);
        }
    }
}
