package dev.sallyport.mcp;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Principal;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of lists, and of what is in them. */
class ListTest {

    private static final String SEARCH = "tools: [{name: search}]";
    private static final String LISTED = "{\"name\":\"search\", \"inputSchema\":{}}";
    private static final String UNLISTED = "{\"name\":\"delete\"}";

    private static String tools(String... items) {
        return "{\"result\":{\"tools\":[" + String.join(",", items)
                + "],\"nextCursor\":\"c\"},\"id\":1, \"jsonrpc\":\"2.0\"}";
    }

    @Test
    void aListInJsonKeepsWhatIsListedAndItsCursor() {
        try (Client client = Client.of(SEARCH, Client.json(tools(UNLISTED, LISTED)))) {
            ExchangeResult result = client.post(Client.list("1"));

            assertThat(result.body()).isEqualTo(tools(LISTED));
            assertThat(Client.messages(result))
                    .element(1)
                    .isEqualTo(Map.of(
                            "direction", "response",
                            "method", "tools/list",
                            "decision", "filtered",
                            "reason", "tool_not_allowed",
                            "removed", 1));
            assertThat(client.count("other", "filtered")).isEqualTo(1);
        }
    }

    @Test
    void namesOfToolsAreComparedAsTheyAreSpelled() {
        String others = "{\"name\":\"Search\"},{\"name\":\"SEARCH\"},{\"name\":\"search \"}";
        try (Client client = Client.of(SEARCH, Client.json(tools(others, LISTED)))) {
            assertThat(client.post(Client.list("1")).body()).isEqualTo(tools(LISTED));
        }
    }

    @Test
    void aListOfWhichEverythingIsListedKeepsItsBytes() {
        String list = " " + tools(LISTED + " ", LISTED) + "\n";
        try (Client client = Client.of(SEARCH, Client.json(list))) {
            assertThat(client.post(Client.list("1")).body()).isEqualTo(list);
        }
    }

    @Test
    void aListIsFilteredUnderItsContentCoding() throws IOException {
        byte[] coded = gzip(tools(UNLISTED, LISTED));
        try (Client client = Client.of(
                SEARCH,
                request -> TestResponse.status(200)
                        .header("Content-Type", "application/json")
                        .header("Content-Encoding", "gzip")
                        .body(coded))) {
            ExchangeResult result = client.post(Client.list("1"));

            assertThat(new String(
                            new java.util.zip.GZIPInputStream(new java.io.ByteArrayInputStream(result.content()))
                                    .readAllBytes(),
                            StandardCharsets.UTF_8))
                    .isEqualTo(tools(LISTED));
        }
    }

    /** Too long to be judged, but nothing in it could be filtered. */
    @Test
    void aLongAnswerThatNamesNoListGoesOnInItsCodedBytes() throws IOException {
        Random random = new Random(7);
        StringBuilder text = new StringBuilder("{\"id\":1,\"result\":{\"text\":\"");
        for (int i = 0; i < 1_500_000; i++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        byte[] coded = gzip(text + "\"}}");
        byte[] list = gzip(text + "\", \"tools\": []}}");
        try (Client client = Client.of(
                SEARCH,
                "  max_event_bytes: 50\n",
                request -> TestResponse.status(200)
                        .header("Content-Type", "application/json")
                        .header("Content-Encoding", "gzip")
                        .header("Content-MD5", "c2lnbmVk")
                        .body(request.body().contains("naming") ? list : coded))) {
            ExchangeResult result = client.post(Client.call("1", "search", "{}"));
            assertThat(result.content()).isEqualTo(coded);
            assertThat(result.headers().all("Content-Length")).containsExactly("" + coded.length);
            assertThat(result.headers().all("Content-MD5")).containsExactly("c2lnbmVk");

            ExchangeResult naming = client.post(Client.call("1", "search", "{\"q\":\"naming\"}"));
            assertThat(naming.status()).isEqualTo(502);
            assertThat(naming.code()).isEqualTo("mcp_unreadable_response");
        }
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(coded)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return coded.toByteArray();
    }

    @Test
    void aListBehindAByteOrderMarkIsFiltered() {
        try (Client client = Client.of(SEARCH, Client.json("\ufeff" + tools(UNLISTED, LISTED)))) {
            assertThat(client.post(Client.list("1")).body()).isEqualTo("\ufeff" + tools(LISTED));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\":1,\"result\":{\"tools\":[],\"tools\":[{\"name\":\"delete\"}]}}",
                "{\"id\":1,\"result\":{\"tools\":[{\"name\":\"delete\"}]}} x",
                "{\"id\":1,\"result\":{\"Tools\":[{\"name\":\"delete\"}]}}",
                "{\"id\":1,\"result\":{\"tools\":{\"name\":\"delete\"}}}"
            })
    void aListThatCannotBeReadDoesNotReachTheClient(String list) {
        try (Client client = Client.of(SEARCH, Client.json(list))) {
            ExchangeResult result = client.post(Client.list("1"));

            assertThat(result.status()).isEqualTo(502);
            assertThat(result.code()).isEqualTo("mcp_unreadable_response");
            assertThat(result.audit()).containsEntry("rejected_by", "mcp");
        }
    }

    @Test
    void aListInACodingThatNobodyKnowsDoesNotReachTheClient() {
        try (Client client = Client.of(
                SEARCH,
                request -> TestResponse.ok(tools(UNLISTED))
                        .header("Content-Type", "application/json")
                        .header("Content-Encoding", "mystery"))) {
            assertThat(client.post(Client.list("1")).status()).isEqualTo(502);
        }
        try (Client client = Client.of(
                SEARCH,
                request -> TestResponse.ok("data: " + tools(UNLISTED) + "\n\n")
                        .header("Content-Type", "text/event-stream")
                        .header("Content-Encoding", "mystery"))) {
            assertThat(client.post(Client.list("1")).status()).isEqualTo(502);
        }
    }

    @Test
    void aListThatIsTooLongDoesNotReachTheClient() {
        try (Client client = Client.of(SEARCH, "  max_event_bytes: 50\n", Client.json(tools(LISTED)))) {
            assertThat(client.post(Client.list("1")).status()).isEqualTo(502);
        }
    }

    @Test
    void aListInAStreamIsFilteredWhereverItComes() {
        String stream = "id: 1\ndata: " + tools(UNLISTED, LISTED) + "\n\n";
        try (Client client =
                Client.of(SEARCH, Client.events(": hi\n\n", stream.substring(0, 30), stream.substring(30)))) {
            String expected = ": hi\n\nid: 1\ndata: " + tools(LISTED) + "\n\n";

            assertThat(client.post(Client.list("1")).body()).isEqualTo(expected);
            ExchangeResult resumed = client.send(TestRequest.get(Client.URL).header("Last-Event-ID", "0"));
            assertThat(resumed.body()).isEqualTo(expected);
            assertThat(Client.messages(resumed))
                    .first()
                    .satisfies(message -> assertThat(message).containsEntry("decision", "filtered"));
        }
    }

    @Test
    void aStreamThatCannotBeReadIsBrokenOff() {
        try (Client client = Client.of(
                SEARCH, Client.events("data: {}\n\n", "data: {\"result\":{\"tools\":[}\n\n", "data: {}\n\n"))) {
            ExchangeResult result = client.send(TestRequest.get(Client.URL));

            assertThat(result.complete()).isFalse();
            assertThat(result.body()).doesNotContain("tools");
            assertThat(Client.messages(result))
                    .first()
                    .satisfies(message -> assertThat(message).containsEntry("reason", "unreadable_response"));
        }
    }

    @Test
    void aResultOfACallThatHappensToHaveToolsIsLeftAlone() {
        String event = "data: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"tools\":[1,2]}}\n\n";
        try (Client client = Client.of(SEARCH, Client.events(event))) {
            assertThat(client.post(Client.call("5", "search", "{}")).body()).isEqualTo(event);
            assertThat(client.post(Client.call("6", "search", "{}")).body()).contains("\"tools\":[]");
        }
    }

    @Test
    void anotherCharsetOrAPartOfAStreamIsRefused() {
        for (TestResponse response : new TestResponse[] {
            TestResponse.ok("x").header("Content-Type", "text/event-stream; charset=utf-16"),
            TestResponse.status(206).header("Content-Type", "text/event-stream").body("x"),
            TestResponse.ok("x").header("Content-Type", "text/event-stream").header("Content-Type", "text/plain")
        }) {
            try (Client client = Client.of(SEARCH, request -> response)) {
                assertThat(client.send(TestRequest.get(Client.URL)).status()).isEqualTo(502);
            }
        }
    }

    @Test
    void resourcesAndPromptsAreFilteredOnlyWhereTheEntrySaysSo() {
        String resources =
                "{\"id\":1,\"result\":{\"resources\":[{\"uri\":\"file:///a/b\"},{\"uri\":\"file:///a/../c\"},{\"uri\":\"x:y\"}]}}";
        String templates =
                "{\"id\":1,\"result\":{\"resourceTemplates\":[{\"uriTemplate\":\"file:///a/{p}\"},{\"uriTemplate\":\"x:{y}\"}]}}";
        String prompts = "{\"id\":1,\"result\":{\"prompts\":[{\"name\":\"p\"},{\"name\":\"q\"}]}}";
        String policy = "resources: [{uri: 'file:///a/*'}], prompts: [{name: p}]";
        try (Client client = Client.of(policy, Client.json(resources))) {
            assertThat(client.post(Client.request("1", "resources/list", "{}")).body())
                    .isEqualTo("{\"id\":1,\"result\":{\"resources\":[{\"uri\":\"file:///a/b\"}]}}");
        }
        try (Client client = Client.of(policy, Client.json(templates))) {
            assertThat(client.post(Client.request("1", "resources/templates/list", "{}"))
                            .body())
                    .isEqualTo("{\"id\":1,\"result\":{\"resourceTemplates\":[{\"uriTemplate\":\"file:///a/{p}\"}]}}");
        }
        try (Client client = Client.of(policy, Client.events("data: " + prompts + "\n\n"))) {
            assertThat(client.send(TestRequest.get(Client.URL)).body())
                    .isEqualTo("data: {\"id\":1,\"result\":{\"prompts\":[{\"name\":\"p\"}]}}\n\n");
        }
        try (Client client = Client.of(SEARCH, Client.json(resources))) {
            assertThat(client.post(Client.request("1", "resources/list", "{}")).body())
                    .isEqualTo(resources);
        }
    }

    @Test
    void samplingIsDroppedWhereTheEntrySaysSo() {
        String sampling =
                "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"sampling\\/createMessage\",\"params\":{}}\n\n";
        String other = "data: {\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"elicitation/create\"}\n\n";
        String batch = "data: [{\"id\":9,\"method\":\"sampling/createMessage\"},{\"method\":\"x\"}]\n\n";
        try (Client client = Client.of("sampling: false", Client.events(other, sampling, batch))) {
            ExchangeResult result = client.send(TestRequest.get(Client.URL));

            assertThat(result.body()).isEqualTo(other + "data: [{\"method\":\"x\"}]\n\n");
            assertThat(result.audit()).containsEntry("level", "WARN");
        }
        try (Client client = Client.of(SEARCH, Client.events(other, sampling))) {
            assertThat(client.send(TestRequest.get(Client.URL)).body()).isEqualTo(other + sampling);
        }
    }

    @Test
    void aPinnedToolThatChangesDisappearsAndIsDeniedUntilItIsWhatItWas() {
        AtomicReference<String> description = new AtomicReference<>("one");
        try (Client client = Client.of(
                SEARCH + ", pin: true",
                request -> TestResponse.ok(tools("{\"name\":\"search\",\"description\":\"" + description.get()
                                + "\",\"_meta\":{\"n\":" + System.nanoTime() + "}}"))
                        .header("Content-Type", "application/json"))) {
            ExchangeResult first = client.post(Client.list("1"));
            assertThat(first.body()).contains("\"search\"");
            assertThat(Client.messages(first))
                    .element(1)
                    .satisfies(message -> assertThat(message)
                            .containsEntry("reason", "pinned")
                            .containsKey("digest"));
            assertThat(client.post(Client.list("1")).body()).contains("\"search\"");
            assertThat(client.post(Client.call("2", "search", "{}"))).isForwarded();

            description.set("two");
            ExchangeResult changed = client.post(Client.list("1"));
            assertThat(changed.body()).doesNotContain("\"search\"");
            assertThat(changed.audit()).containsEntry("level", "WARN");
            assertThat(Client.messages(changed))
                    .element(1)
                    .satisfies(message -> assertThat(message)
                            .containsEntry("reason", "tool_changed")
                            .containsEntry("tool", "search"));
            assertThat(client.post(Client.call("2", "search", "{}")).body()).contains("tool_changed");

            TestRequest other = TestRequest.post(Client.URL, "application/json", Client.call("2", "search", "{}"))
                    .from(Principal.of("another", "test"));
            assertThat(client.send(other)).isForwarded();

            description.set("one");
            assertThat(client.post(Client.list("1")).body()).contains("\"search\"");
            assertThat(client.post(Client.call("2", "search", "{}"))).isForwarded();
        }
    }

    @Test
    void aDigestInTheConfigurationDecidesFromTheFirstSight() {
        String tool = "{\"name\":\"search\",\"inputSchema\":{\"b\":1.0,\"a\":[]}}";
        String digest = "sha256:" + sha256("{\"inputSchema\":{\"a\":[],\"b\":1},\"name\":\"search\"}");
        try (Client client = Client.of("tools: [{name: search, digest: '" + digest + "'}]", Client.json(tools(tool)))) {
            assertThat(client.post(Client.list("1")).body()).isEqualTo(tools(tool));
        }
        try (Client client = Client.of(
                "tools: [{name: search, digest: '" + digest.replace(digest.substring(digest.length() - 4), "0000")
                        + "'}]",
                Client.json(tools(tool)))) {
            assertThat(client.post(Client.list("1")).body()).isEqualTo(tools());
            assertThat(client.post(Client.call("1", "search", "{}")).body()).contains("tool_changed");
        }
    }

    private static String sha256(String text) {
        try {
            return java.util.HexFormat.of()
                    .formatHex(java.security.MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
