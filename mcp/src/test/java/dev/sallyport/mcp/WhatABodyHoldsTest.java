package dev.sallyport.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TestResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A body is what it holds, not what it is called (docs/spec/decisions.md, section 20, "MCP bodies"). */
class WhatABodyHoldsTest {

    private static final String SEARCH = "tools: [{name: search}]";
    private static final String DENIED = Client.call("7", "delete", "{}");
    private static final String LIST =
            "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[{\"name\":\"delete\"},{\"name\":\"search\"}]}}";
    private static final String FILTERED =
            "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[{\"name\":\"search\"}]}}";

    private static String quoted(String json) {
        return "\"" + json.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a guard | )]}'\\n",
                "a guard with a comma | )]}',",
                "a loop | while(1);",
                "another loop | for(;;);",
                "a bracket | (",
                "a plus | +",
                "a minus | -",
                "a negation | !",
                "a semicolon | ;",
                "a mark and a guard | \ufeff)]}'"
            })
    void whatComesBeforeAMessageDoesNotHideIt(String name, String before) {
        String body = before.replace("\\n", "\n") + DENIED;
        for (String type : new String[] {"text/plain", "application/x-www-form-urlencoded", "application/json"}) {
            assertRefused(TestRequest.post(Client.URL, type, body));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "application/octet-stream"})
    void aMessageWithinAStringIsRefused(String type) {
        assertRefused(TestRequest.post(Client.URL, type, quoted(DENIED)));
        assertRefused(TestRequest.post(Client.URL, type, quoted(quoted(DENIED))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"42", "-1.5e3", "true", "false", " null ", "\"x\""})
    void aScalarIsJsonAndNoMessage(String body) {
        assertRefused(TestRequest.post(Client.URL, "text/plain", body));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "404 not found",
                "truely",
                "--boundary\r\nContent-Disposition: form-data",
                "a=b&c={}",
                "(see there)"
            })
    void whatOnlyBeginsLikeJsonPasses(String body) {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.send(TestRequest.post(Client.URL, "text/plain", body));

            assertThat(result.forwarded()).as(result.toString()).isNotNull();
        }
    }

    private static void assertRefused(TestRequest request) {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            ExchangeResult result = client.send(request);

            assertThat(result.forwarded()).as(result.toString()).isNull();
            assertThat(result.status()).isEqualTo(400);
            assertThat(result.audit()).containsEntry("rejected_by", "mcp");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "text/html", "application/octet-stream", ""})
    void aListIsFilteredUnderAnyType(String type) {
        try (Client client = Client.of(SEARCH, request -> answer(type, LIST))) {
            assertThat(client.post(Client.list("1")).body()).isEqualTo(FILTERED);
            // Clients match answers by id, whichever request they arrive with.
            assertThat(client.post(Client.call("2", "search", "{}")).body()).isEqualTo(FILTERED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/octet-stream", ""})
    void eventsAreFilteredUnderAnyType(String type) {
        String before = ": hello\n\ndata: " + LIST + "\n\n";
        try (Client client = Client.of(SEARCH, request -> answer(type, before))) {
            assertThat(client.post(Client.list("1")).body()).contains("search").doesNotContain("delete");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"DELETE", "GET", "PUT", "PATCH"})
    void aListIsFilteredWhateverTheMethod(String method) {
        for (String type : new String[] {"application/json", "text/plain"}) {
            try (Client client = Client.of(SEARCH, request -> answer(type, LIST))) {
                TestRequest request = TestRequest.of(method, Client.URL);

                assertThat(client.send(request).body()).as(type).isEqualTo(FILTERED);
            }
        }
    }

    private static TestResponse answer(String type, String body) {
        TestResponse answer = TestResponse.ok(body);
        return type.isEmpty() ? answer : answer.header("Content-Type", type);
    }

    @Test
    void pagesPassUnchanged() {
        String page = "<!doctype html><script>{\"tools\":[{\"name\":\"delete\"}]}</script>";
        try (Client client = Client.of(SEARCH, request -> answer("text/html", page))) {
            assertThat(client.send(TestRequest.get(Client.URL)).body()).isEqualTo(page);
        }
    }

    /** An answer that needs no filter is never refused for its spelling. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"text\":\"say \\\"tools\\\" \\ud83d\"}],\"tool\":\"tools\"}}",
                "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tool\":\"x\",\"value\":NaN,\"least\":-Infinity}}",
                "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tool\":1,\"value\":12345678901234567890123,\"more\":1e999}}",
                "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tool\":\"tools\",\"a\":1,\"a\":2,\"a\":3}}",
                "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tool\":\"tools\",\"text\":\"a\tb\"}}",
                "\ufeff{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tool\":\"tools\"}}"
            })
    void anAnswerWithoutAListPassesWhateverItsSpelling(String answer) {
        try (Client client = Client.of(SEARCH, Client.json(answer))) {
            assertThat(client.post(Client.call("1", "search", "{}")).body()).isEqualTo(answer);
            assertThat(client.send(TestRequest.get(Client.URL)).body()).isEqualTo(answer);
        }
    }

    /** Which of two members counts is for the reader to choose: none may hold what is filtered. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{},\"result\":{\"tools\":[{\"name\":\"delete\"}]}}",
                "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[],\"tools\":[{\"name\":\"delete\"}]}}",
                "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[{\"name\":\"search\",\"name\":\"delete\"}]}}",
                "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"a\":1,\"a\":2,\"tools\":[{\"name\":\"delete\"}]}}",
                "{\"id\":2,\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"tools\":[{\"name\":\"delete\"}]}}"
            })
    void aListAmongMembersOfOneNameIsRefused(String answer) {
        try (Client client = Client.of(SEARCH, Client.json(answer))) {
            ExchangeResult result = client.post(Client.list("1"));

            assertThat(result.status()).isEqualTo(502);
            assertThat(result.body()).doesNotContain("delete");
        }
    }

    @Test
    void whatIsNullIsAbsentAndForwardedByteForByte() {
        String[] messages = {
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":null}",
            "{\"jsonrpc\":\"2.0\", \"method\":\"notifications/initialized\",\"params\": null}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"result\":{},\"error\":null}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"result\":null,\"error\":{\"code\":-1,\"message\":\"no\"}}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"s1\",\"result\":null,\"error\":null}"
        };
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            for (String message : messages) {
                ExchangeResult result = client.post(message);

                assertThat(result.forwarded()).as(message + ": " + result).isNotNull();
                assertThat(result.forwarded().body()).isEqualTo(message);
            }
        }
    }

    /** Judged off the event loop, in one piece or in many, with the same outcome. */
    @Test
    void longMessagesAreJudgedAlike() {
        String filler = "{\"q\":\"" + "x".repeat(40_000) + "\"}";
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            for (String tool : new String[] {"search", "delete"}) {
                String body = Client.call("7", tool, filler);
                boolean allowed = tool.equals("search");

                assertThat(client.post(body).forwarded() != null).isEqualTo(allowed);
                ExchangeResult pieces = client.send(TestRequest.post(Client.URL, "application/json", "")
                        .chunks(body.substring(0, 10), body.substring(10, 20_000), body.substring(20_000)));
                assertThat(pieces.forwarded() != null).as(pieces.toString()).isEqualTo(allowed);
            }
        }
    }

    @Test
    void whatIsTooLongForAnExpressionIsDenied() {
        String policy = "tools: [{name: search, when: [{path: q, matches: x}]}]";
        try (Client client = Client.of(policy, "  limits: {matched_bytes: 1KiB}\n", Client.accepts())) {
            assertThat(client.post(Client.call("1", "search", "{\"q\":\"" + "x".repeat(1000) + "\"}"))
                            .forwarded())
                    .isNotNull();
            ExchangeResult denied = client.post(Client.call("1", "search", "{\"q\":\"" + "x".repeat(1030) + "\"}"));

            assertThat(denied.forwarded()).isNull();
            assertThat(denied.body()).contains("\"id\":1", "\"code\":-32001", "\"reason\":\"limit\"");
        }
    }

    @Test
    void aBatchThatIsTooLongIsDenied() {
        String ping = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
        try (Client client = Client.of(SEARCH, "  limits: {batch_items: 2}\n", Client.accepts())) {
            assertThat(client.post("[" + ping + "," + ping + "]").forwarded()).isNotNull();
            ExchangeResult denied = client.post("[" + ping + "," + ping + "," + ping + "]");

            assertThat(denied.forwarded()).isNull();
            assertThat(denied.body()).contains("\"code\":-32001", "\"reason\":\"limit\"");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "7 | {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{}}",
                "\"a\\u0062\" | {\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"method\":\"tools/call\",\"params\":[]}",
                "8 | {\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\",\"params\":{\"x\":\"\\ud83d\"}}",
                "9 | {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"method\":\"tools/call\"}",
                "null | {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\",\"id\":8}",
                "null | {\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}"
            })
    void aRefusalCarriesTheIdWhereItCanBeRead(String id, String message) {
        try (Client client = Client.of(SEARCH, Client.accepts())) {
            assertThat(client.post(message).body()).startsWith("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":");
        }
    }
}
