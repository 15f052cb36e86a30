package dev.sallyport.mcp;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import dev.sallyport.testkit.Upstream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches, item by item. */
class BatchTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SEARCH = "tools: [{name: search}]";
    private static final String YES = Client.call("1", "search", "{}");
    private static final String NO = Client.call("\"n\"", "delete", "{}");
    private static final String NOTE = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}";
    private static final String DENIED_NOTE =
            "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"delete\"}}";

    private static List<String> ids(String body) throws Exception {
        List<String> ids = new ArrayList<>();
        for (JsonNode message : JSON.readTree(body)) {
            ids.add(message.path("id") + (message.has("error") ? " error" : ""));
        }
        return ids;
    }

    private static String answer(String id) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{}}";
    }

    @Test
    void anAllowedBatchKeepsItsBytes() {
        String batch = "[ " + YES + " ,\n" + NOTE + "]";
        try (Client client = Client.of(SEARCH, Client.json("[" + answer("1") + "]"))) {
            ExchangeResult result = client.post(batch);
            assertThat(result).isForwarded().hasForwardedBody(batch);
            assertThat(result.body()).isEqualTo("[" + answer("1") + "]");
        }
    }

    @Test
    void everyMessageIsJudgedWhereverItStands() throws Exception {
        for (String batch : List.of(NO + "," + YES, YES + "," + NO)) {
            try (Client client = Client.of(SEARCH, Client.json("[" + answer("1") + "]"))) {
                ExchangeResult result = client.post("[" + batch + "]");

                assertThat(result).isForwarded().hasForwardedBody("[" + YES + "]");
                assertThat(ids(result.body())).containsExactlyInAnyOrder("1", "\"n\" error");
            }
        }
    }

    /** Whatever stands before it, and over whatever way. */
    @Test
    void aMessageAnywhereInAnArrayIsOne() {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            for (String array : List.of("[" + NO + "]", "[1," + NO + "]", "[{\"a\":1},\"b\"," + NO + "]")) {
                ExchangeResult put = client.send(TestRequest.of("PUT", Client.URL)
                        .header("Content-Type", "application/json")
                        .body(array));
                assertThat(put).hasStatus(400);
                assertThat(put.forwarded()).isNull();
                ExchangeResult query = client.send(
                        TestRequest.get(Client.URL + "?m=" + URLEncoder.encode(array, StandardCharsets.UTF_8)));
                assertThat(query.forwarded()).isNull();
            }
        }
    }

    @Test
    void whatIsDeniedIsAnsweredAndTheRestGoesOn() throws Exception {
        try (Client client = Client.of(SEARCH, Client.json(" [ " + answer("1") + " ] "))) {
            ExchangeResult result = client.post("[" + NO + " , " + YES + "," + DENIED_NOTE + "]");

            assertThat(result).isForwarded().hasForwardedBody("[" + YES + "]");
            assertThat(ids(result.body())).containsExactly("1", "\"n\" error");
            assertThat(result.audit()).containsEntry("level", "WARN").doesNotContainKey("rejected_by");
            assertThat(Client.messages(result)).hasSize(3);
        }
    }

    @Test
    void theServerMayAnswerWithOneMessageOrWithNone() throws Exception {
        try (Client client = Client.of(SEARCH, Client.json(answer("1")))) {
            assertThat(ids(client.post("[" + NO + "," + YES + "]").body())).containsExactly("1", "\"n\" error");
        }
        try (Client client = Client.of(SEARCH, Client.json("[]"))) {
            assertThat(ids(client.post("[" + NO + "," + YES + "]").body())).containsExactly("\"n\" error");
        }
        for (Upstream upstream : List.<Upstream>of(
                request -> TestResponse.status(202).header("Mcp-Session-Id", "s"),
                request -> TestResponse.status(204).header("Mcp-Session-Id", "s"),
                request ->
                        TestResponse.status(202).header("Mcp-Session-Id", "s").body("Accepted"))) {
            try (Client client = Client.of(SEARCH, upstream)) {
                ExchangeResult result = client.post("[" + NO + "," + NOTE + "]");
                assertThat(result.status()).isEqualTo(200);
                assertThat(ids(result.body())).containsExactly("\"n\" error");
                assertThat(result.headers().all("Content-Type")).containsExactly("application/json");
                assertThat(result.headers().all("Mcp-Session-Id")).containsExactly("s");
            }
        }
    }

    @Test
    void theErrorsComeFirstInAStream() {
        try (Client client = Client.of(SEARCH, Client.events("\ufeffdata: ", answer("1") + "\n\n"))) {
            String body = client.post("[" + NO + "," + YES + "]").body();

            assertThat(body)
                    .startsWith("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"n\",\"error\"")
                    .endsWith("}}}\n\ndata: " + answer("1") + "\n\n");
        }
    }

    @Test
    void anErrorOfTheServerStaysOne() {
        try (Client client =
                Client.of(SEARCH, request -> TestResponse.status(500).body("{\"oops\":1}"))) {
            ExchangeResult result = client.post("[" + NO + "," + YES + "]");
            assertThat(result.status()).isEqualTo(500);
            assertThat(result.body()).isEqualTo("{\"oops\":1}");
        }
    }

    @Test
    void whenAllIsDeniedTheServerIsNotAsked() throws Exception {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.post("[" + NO + "," + NO.replace("\"n\"", "2") + "," + DENIED_NOTE + "]");
            assertThat(result.forwarded()).isNull();
            assertThat(result.status()).isEqualTo(200);
            assertThat(ids(result.body())).containsExactly("\"n\" error", "2 error");

            ExchangeResult notes = client.post("[" + DENIED_NOTE + "]");
            assertThat(notes.forwarded()).isNull();
            assertThat(notes.status()).isEqualTo(202);
        }
    }

    @Test
    void listsInABatchAreFiltered() {
        try (Client client = Client.of(
                SEARCH,
                Client.json("[{\"id\":7,\"result\":{\"tools\":[{\"name\":\"delete\"}]}}," + answer("1") + "]"))) {
            assertThat(client.post("[" + Client.list("7") + "," + YES + "]").body())
                    .isEqualTo("[{\"id\":7,\"result\":{\"tools\":[]}}," + answer("1") + "]");
        }
    }

    @Test
    void aBatchOfTheOldTransportIsRefusedWhole() {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.send(
                    TestRequest.post(Client.URL + "?session_id=a", "application/json", "[" + NO + "," + YES + "]"));
            assertThat(result.forwarded()).isNull();
            assertThat(result.status()).isEqualTo(403);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "[1]",
                "[[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]]",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{}]",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"tools/list\"}]"
            })
    void aBatchThatIsNoneIsRefused(String batch) {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.post(batch);
            assertThat(result.forwarded()).isNull();
            assertThat(result.status()).isEqualTo(400);
            assertThat(result.body()).startsWith("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600");
        }
    }
}
