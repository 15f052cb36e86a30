package dev.sallyport.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import java.util.Collections;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the judgement of one message may cost (docs/spec/decisions.md, section 20, "MCP"). */
class LimitsTest {

    private static final String WHEN = "tools: [{name: search, when: [{path: q, matches: '^[a\\x{e4}]*$'}]}]";
    private static final int DEFAULT = 64 * 1024;

    private static String search(String argument) {
        return Client.call("7", "search", "{\"q\":\"" + argument + "\"}");
    }

    private static void assertDenied(ExchangeResult result, String id, String message) {
        assertThat(result.forwarded()).isNull();
        assertThat(result.body())
                .startsWith(
                        "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":{\"code\":-32001,\"message\":\"" + message)
                .contains("\"limit\"");
        assertThat(Client.messages(result))
                .first()
                .satisfies(said -> assertThat(said).containsEntry("reason", "limit"));
    }

    @Test
    void anArgumentIsComparedUpToTheLimitAndDeniedBeyond() {
        try (Client client = Client.of(WHEN, Client.accepts())) {
            assertThat(client.post(search("a".repeat(DEFAULT))).forwarded()).isNotNull();
            assertDenied(client.post(search("a".repeat(DEFAULT + 1))), "7", "blocked by the service policy");
        }
    }

    /** Of a text that is escaped, and so longer in the message, the characters count. */
    @Test
    void theCharactersAreCountedAndNotTheirEscapes() {
        try (Client client = Client.of(WHEN, "  limits: {matched_bytes: 20B}\n", Client.accepts())) {
            assertThat(client.post(search("\\u0061".repeat(20))).forwarded()).isNotNull();
            assertDenied(client.post(search("\\u0061".repeat(21))), "7", "blocked by the service policy");
            assertThat(client.post(search("\\u00e4".repeat(10))).forwarded()).isNotNull();
            assertDenied(client.post(search("\\u00e4".repeat(11))), "7", "blocked by the service policy");
        }
    }

    /** A condition that compares with values costs no more than the message is long. */
    @Test
    void otherConditionsHaveNoLimit() {
        String value = "b".repeat(100);
        String policy = "tools: [{name: search, when: [{path: q, equals: " + value + "}]}]";
        try (Client client = Client.of(policy, "  limits: {matched_bytes: 1B}\n", Client.accepts())) {
            assertThat(client.post(search(value)).forwarded()).isNotNull();
        }
    }

    private static String batch(int items) {
        return IntStream.range(0, items)
                .mapToObj(id -> Client.request(String.valueOf(id), "ping", "{}"))
                .collect(Collectors.joining(",", "[", "]"));
    }

    /** On the event loop, off it because it has many messages, and off it because it is long. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100, 101, 200, 1000})
    void aBatchPassesUpToTheLimit(int items) {
        try (Client client = Client.of("tools: []", Client.accepts())) {
            ExchangeResult result = client.post(batch(items));

            assertThat(result.forwarded()).as(result.toString()).isNotNull();
            assertThat(result.forwarded().body()).isEqualTo(batch(items));
        }
    }

    @Test
    void aBatchBeyondTheLimitIsDenied() {
        String more = "  limits: {batch_items: 3}\n  error: {message: not here}\n";
        try (Client client = Client.of("tools: []", Client.accepts())) {
            assertDenied(client.post(batch(1001)), "null", "blocked by the service policy");
        }
        try (Client client = Client.of("tools: []", more, Client.accepts())) {
            assertThat(client.post(batch(3)).forwarded()).isNotNull();
            assertDenied(client.post(batch(4)), "null", "not here");
            assertDenied(client.post("[" + String.join(",", Collections.nCopies(4, "1")) + "]"), "null", "not here");
        }
    }

    /** A hundred batches of half a megabyte would fill the heap, although a look at each is enough. */
    @Test
    void whatIsBehindTheLimitOfABatchIsNotRead() {
        try (Client client = Client.of("tools: []", "  limits: {batch_items: 3}\n", Client.accepts())) {
            String four = batch(4);

            assertDenied(
                    client.post(four.substring(0, four.length() - 1) + ", no JSON"),
                    "null",
                    "blocked by the service policy");
        }
    }
}
