package dev.sallyport.transforms.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.transforms.judge.ModelServer.Asked;
import dev.sallyport.transforms.judge.ModelServer.Script;
import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A judge in a whole proxy, with a provider that speaks its public wire format. */
class JudgeTest {

    @TempDir
    Path folder;

    private ModelServer model;

    @BeforeEach
    void startModel() throws Exception {
        model = new ModelServer();
    }

    @AfterEach
    void stopModel() {
        model.close();
    }

    private JudgedProxy proxy(String type, String more) throws Exception {
        return JudgedProxy.start(folder, JudgedProxy.judge(type, model.url(), more));
    }

    /** People write a provider's address with its version, and without; that of a gateway has a path of its own. */
    @ParameterizedTest
    @CsvSource({
        "llm_a, '', /v1/messages",
        "llm_a, /, /v1/messages",
        "llm_a, /v1, /v1/messages",
        "llm_a, /v1/, /v1/messages",
        "llm_a, /provider/v1, /provider/v1/messages",
        "llm_b, '', /v1/chat/completions",
        "llm_b, /v1, /v1/chat/completions",
        "llm_b, /v1/, /v1/chat/completions",
        "llm_b, /v1beta/openai, /v1beta/openai/chat/completions",
        "llm_b, /v1beta/openai/, /v1beta/openai/chat/completions",
        "llm_b, /api/paas/v4, /api/paas/v4/chat/completions",
        "llm_a, /anthropic, /anthropic/messages"
    })
    void theVersionOfTheProviderIsAskedForOnce(String type, String base, String asked) throws Exception {
        try (JudgedProxy proxy = JudgedProxy.start(folder, JudgedProxy.judge(type, model.url() + base, ""))) {
            assertThat(proxy.get("/items").statusCode()).isEqualTo(200);

            assertThat(model.asked())
                    .singleElement()
                    .satisfies(one -> assertThat(one.path()).isEqualTo(asked));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"llm_a", "anthropic", "llm_b", "openai"})
    void whatIsAllowedGoesOnWhole(String type) throws Exception {
        String body = "b".repeat(40_000);
        try (JudgedProxy proxy = proxy(type, "")) {
            HttpResponse<String> response = proxy.send(proxy.request("/v1/items?x=1")
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build());

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("from the origin");
            assertThat(proxy.forwarded())
                    .singleElement()
                    .satisfies(sent -> assertThat(sent.body()).isEqualTo(body));
            assertThat(model.asked()).hasSize(1);
            JsonNode said = proxy.annotations().getFirst();
            assertThat(said.path("instance").asText()).isEqualTo("one");
            assertThat(said.path("model").asText()).isEqualTo("a-model");
            assertThat(said.path("decision").asText()).isEqualTo("ALLOW");
            assertThat(said.path("reason").asText()).isEqualTo("fine");
            assertThat(said.path("input_tokens").asInt()).isEqualTo(321);
            assertThat(said.path("output_tokens").asInt()).isEqualTo(12);
            assertThat(said.has("duration_ms")).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"llm_a", "llm_b"})
    void whatIsDeniedGetsA403WithoutTheReason(String type) throws Exception {
        model.script(Script.verdict("DENY", "it deletes things"));
        try (JudgedProxy proxy = proxy(type, ", fallback: skip")) {
            HttpResponse<String> response = proxy.get("/v1/items");

            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body()).contains("\"judge_denied\"").doesNotContain("deletes");
            assertThat(proxy.forwarded()).isEmpty();
            JsonNode record = proxy.records().getFirst();
            assertThat(record.path("rejected_by").asText()).isEqualTo("judge");
            assertThat(record.at("/request_transforms/0/annotations/reason").asText())
                    .isEqualTo("it deletes things");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"llm_a", "llm_b"})
    void decisionsTokensAndTripsAreCounted(String type) throws Exception {
        try (JudgedProxy proxy = proxy(type, ", circuit_breaker: {consecutive_failures: 1, cooldown: 1h}")) {
            proxy.get("/v1/items");
            model.script(Script.verdict("DENY", "no"));
            proxy.get("/v1/items");
            model.script(Script.text(500, "{}"));
            proxy.get("/v1/items");
            proxy.get("/v1/items");

            assertThat(proxy.count("sallyport.judge.decisions", "one", "ALLOW")).isEqualTo(1);
            assertThat(proxy.count("sallyport.judge.decisions", "one", "DENY")).isEqualTo(1);
            assertThat(proxy.count("sallyport.judge.decisions", "one", "FALLBACK_DENY"))
                    .isEqualTo(2);
            assertThat(proxy.count("sallyport.judge.tokens", "one", "input")).isEqualTo(2 * 321);
            assertThat(proxy.count("sallyport.judge.tokens", "one", "output")).isEqualTo(2 * 12);
            assertThat(proxy.count("sallyport.judge.breaker_trips", "one")).isEqualTo(1);
        }
    }

    @Test
    void theMessagesApiIsSpokenAsItsProviderDescribesIt() throws Exception {
        try (JudgedProxy proxy = proxy("llm_a", "")) {
            proxy.get("/v1/items");
        }

        Asked asked = model.asked().getFirst();
        assertThat(asked.path()).isEqualTo("/v1/messages");
        assertThat(asked.key()).isEqualTo(JudgedProxy.KEY + "null");
        assertThat(asked.version()).isEqualTo("2023-06-01");
        assertThat(asked.body().path("model").asText()).isEqualTo("a-model");
        assertThat(asked.body().path("max_tokens").asInt()).isEqualTo(256);
        assertThat(asked.body().path("messages")).hasSize(1);
        assertThat(asked.body().at("/messages/0/role").asText()).isEqualTo("user");
        assertThat(asked.body().at("/tool_choice/name").asText()).isEqualTo("verdict");
        assertThat(asked.body().at("/tools/0/input_schema/additionalProperties").asBoolean(true))
                .isFalse();
        assertThat(asked.system()).contains("\"Be \\\"strict\\\".\"");
    }

    @Test
    void chatCompletionsAreSpokenAsTheirProviderDescribesThem() throws Exception {
        String entry = JudgedProxy.judge("llm_b", model.url() + "/gateway/", "")
                .replace("model: a-model", "model: a-model, max_tokens: 99");
        try (JudgedProxy proxy = JudgedProxy.start(folder, entry)) {
            proxy.get("/v1/items");
        }

        Asked asked = model.asked().getFirst();
        assertThat(asked.path()).isEqualTo("/gateway/chat/completions");
        assertThat(asked.key()).isEqualTo("nullBearer " + JudgedProxy.KEY);
        assertThat(asked.body().path("max_completion_tokens").asInt()).isEqualTo(99);
        assertThat(asked.body().path("messages"))
                .extracting(message -> message.path("role").asText())
                .containsExactly("system", "user");
        assertThat(asked.body().at("/response_format/type").asText()).isEqualTo("json_schema");
        assertThat(asked.body().at("/response_format/json_schema/strict").asBoolean())
                .isTrue();
        assertThat(asked.system()).contains("\"Be \\\"strict\\\".\"");
    }

    /** A provider that understands so many of the ways to ask for an answer's form. */
    private static Script understanding(String... forms) {
        return (exchange, server) -> {
            JsonNode body = server.asked().getLast().body();
            String form = body.at("/response_format/type").asText("none");
            if (List.of(forms).contains(form)) {
                ModelServer.send(
                        exchange, 200, ModelServer.chat("{\"decision\":\"ALLOW\",\"reason\":\"fine\"}", "stop"));
            } else {
                ModelServer.send(
                        exchange,
                        400,
                        "{\"error\":{\"message\":\"Invalid parameter: 'response_format' of type '" + form + "'\"}}");
            }
        };
    }

    private List<String> forms() {
        return model.asked().stream()
                .map(asked -> asked.body().at("/response_format/type").asText("none"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "json_schema | json_schema",
                "json_object | json_schema,json_object",
                "none        | json_schema,json_object,none"
            })
    void aFormThatTheProviderDoesNotUnderstandIsAskedForWithLess(String understood, String asked) throws Exception {
        model.script(understanding(understood));
        try (JudgedProxy proxy = proxy("llm_b", "")) {
            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(200);
            assertThat(forms()).containsExactly(asked.split(","));

            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(200);
            assertThat(forms()).as("known from then on").endsWith(understood).hasSize(asked.split(",").length + 1);
            assertThat(proxy.annotations().getFirst().path("decision").asText()).isEqualTo("ALLOW");
        }
    }

    @Test
    void whatUnderstandsNoFormIsAskedOnceForEach() throws Exception {
        model.script(understanding());
        try (JudgedProxy proxy = proxy("llm_b", "")) {
            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(403);

            assertThat(forms()).containsExactly("json_schema", "json_object", "none");
            assertThat(proxy.annotations().getFirst().path("error").asText()).isEqualTo("status 400");
        }
    }

    @Test
    void another400IsNotRepeated() throws Exception {
        model.script(Script.text(400, "{\"error\":{\"message\":\"the model does not exist\"}}"));
        try (JudgedProxy proxy = proxy("llm_b", "")) {
            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(403);

            assertThat(model.asked()).hasSize(1);
        }
    }

    @Test
    void anAnswerInPartsIsReadAsStrictlyAsOneInAText() throws Exception {
        String whole = ModelServer.chat("@", "stop");
        String parts = "[{\"type\":\"thinking\",\"text\":\"{}\"},"
                + "{\"type\":\"text\",\"text\":\"{\\\"decision\\\":\\\"ALLOW\\\",\"},"
                + "{\"type\":\"text\",\"text\":\"\\\"reason\\\":\\\"fine\\\"}\"}]";
        try (JudgedProxy proxy = proxy("llm_b", "")) {
            model.script(Script.text(200, whole.replace("\"@\"", parts)));
            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(200);

            model.script(Script.text(200, whole.replace("\"@\"", parts.replace("fine\\\"}", "fine\\\"} Sure"))));
            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(403);

            model.script(Script.text(200, whole.replace("\"@\"", "[]")));
            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(403);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"llm_a", "llm_b"})
    void anAnswerThatWasCutOffNamesTheSettingThatHelps(String type) throws Exception {
        String cut = "{\"decision\":\"ALLOW\",\"rea";
        model.script(Script.text(
                200, type.equals("llm_a") ? ModelServer.text(cut, "max_tokens") : ModelServer.chat(cut, "length")));
        try (JudgedProxy proxy = proxy(type, "")) {
            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(403);

            assertThat(proxy.annotations().getFirst().path("error").asText())
                    .startsWith("malformed output: the answer was cut off at max_")
                    .endsWith("(provider.max_tokens is 256, and can be more)");
        }
    }

    static Stream<Arguments> failures() {
        String fine = "{\"decision\":\"ALLOW\",\"reason\":\"fine\"}";
        Map<String, Script> both = Map.of(
                "429", Script.text(429, "{\"error\":{\"type\":\"rate_limit_error\"}}"),
                "500", Script.text(500, ""),
                "529", Script.text(529, "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}"),
                "a redirect", Script.text(302, ""),
                "no JSON", Script.text(200, "<html>a gateway's page</html>"),
                "nothing", Script.text(200, ""),
                "an empty object", Script.text(200, "{}"),
                "an event stream with an error", Script.text(200, "event: error\ndata: {\"type\":\"error\"}\n\n"),
                "broken off", Script.brokenOff(),
                "silence", Script.silence());
        Map<String, Script> messages = Map.of(
                "prose around it", Script.text(200, ModelServer.text("Sure! " + fine, "end_turn")),
                "cut off", Script.text(200, ModelServer.text("{\"decision\":\"ALLOW\",\"rea", "max_tokens")),
                "whole, but cut off", Script.text(200, ModelServer.text(fine, "max_tokens")),
                "a refusal", Script.text(200, ModelServer.text(fine, "refusal")),
                "another decision", Script.text(200, ModelServer.tool("PERHAPS", "fine")),
                "two verdicts",
                        Script.text(
                                200,
                                ModelServer.tool("ALLOW", "a")
                                        .replace("[", "[{\"type\":\"tool_use\",\"name\":\"verdict\",\"input\":{}},")),
                "a verdict with a member twice",
                        Script.text(
                                200,
                                ModelServer.tool("ALLOW", "a")
                                        .replace("{\"decision\"", "{\"decision\":\"DENY\",\"decision\"")),
                "a reply and more", Script.text(200, ModelServer.tool("ALLOW", "a") + " {}"),
                "another tool", Script.text(200, ModelServer.tool("ALLOW", "a").replace("verdict", "search")));
        Map<String, Script> chat = Map.of(
                "prose around it",
                Script.text(200, ModelServer.chat("Sure! " + fine, "stop")),
                "cut off",
                Script.text(200, ModelServer.chat("{\"decision\":\"ALLOW\",\"rea", "length")),
                "whole, but cut off",
                Script.text(200, ModelServer.chat(fine, "length")),
                "filtered",
                Script.text(200, ModelServer.chat(fine, "content_filter")),
                "a refusal",
                Script.text(200, ModelServer.refusal(fine)),
                "no choice",
                Script.text(200, "{\"choices\":[]}"),
                "a verdict with a member twice",
                Script.text(
                        200,
                        ModelServer.chat("{\"decision\":\"DENY\",\"decision\":\"ALLOW\",\"reason\":\"a\"}", "stop")),
                "a reply with a member twice",
                Script.text(200, ModelServer.chat(fine, "stop").replace("\"message\":", "\"message\":{},\"message\":")),
                "a reply and more",
                Script.text(200, ModelServer.chat(fine, "stop") + "{}"));
        List<Arguments> all = new ArrayList<>();
        both.forEach((name, script) -> {
            all.add(Arguments.of("llm_a", name, script));
            all.add(Arguments.of("llm_b", name, script));
        });
        messages.forEach((name, script) -> all.add(Arguments.of("llm_a", name, script)));
        chat.forEach((name, script) -> all.add(Arguments.of("llm_b", name, script)));
        return all.stream();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("failures")
    void withoutAVerdictTheRequestIsRefusedAndNothingIsAskedTwice(String type, String name, Script script)
            throws Exception {
        model.script(script);
        try (JudgedProxy proxy = proxy(type, ", timeout: 1s")) {
            HttpResponse<String> response = proxy.get("/v1/items");

            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body()).contains("\"judge_unavailable\"", "\"rule\":\"transforms[0].rules[0]\"");
            assertThat(proxy.forwarded()).isEmpty();
            assertThat(model.asked()).hasSize(1);
            JsonNode said = proxy.annotations().getFirst();
            assertThat(said.path("decision").asText()).isEqualTo("FALLBACK_DENY");
            assertThat(said.path("fallback_applied").asText()).isEqualTo("deny");
            assertThat(said.path("error").asText()).isNotEmpty();
        }
    }

    @Test
    void withoutAVerdictTheRequestGoesOnWhereTheConfigurationSaysSo() throws Exception {
        model.script(Script.text(200, ModelServer.text("I would allow it", "end_turn")));
        try (JudgedProxy proxy = proxy("llm_a", ", fallback: skip")) {
            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(200);

            JsonNode said = proxy.annotations().getFirst();
            assertThat(said.path("decision").asText()).isEqualTo("FALLBACK_ALLOW");
            assertThat(said.path("fallback_applied").asText()).isEqualTo("skip");
            assertThat(said.path("raw_output").asText()).contains("I would allow it");
            assertThat(said.path("error").asText()).startsWith("malformed output");
        }
    }

    @Test
    void aModelThatIsNotThereIsToldByItsCause() throws Exception {
        model.close();
        try (JudgedProxy proxy = proxy("llm_a", "")) {
            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(403);

            assertThat(proxy.annotations().getFirst().path("error").asText())
                    .startsWith("no answer: ")
                    .endsWith(": connection refused");
        }
    }

    @Test
    void theBreakerStopsTheCalls() throws Exception {
        model.script(Script.text(500, ""));
        try (JudgedProxy proxy = proxy("llm_a", ", circuit_breaker: {consecutive_failures: 2, cooldown: 1h}")) {
            for (int i = 0; i < 4; i++) {
                assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(403);
            }

            assertThat(model.asked()).hasSize(2);
            List<JsonNode> said = proxy.annotations();
            assertThat(said.get(0).has("circuit_breaker_tripped")).isFalse();
            assertThat(said.get(1).path("circuit_breaker_tripped").asBoolean()).isTrue();
            assertThat(said.get(3).path("error").asText()).isEqualTo("the breaker is open");
        }
    }

    @Test
    void whoWaitsForAModelThatIsGivenUpMeanwhileDoesNotCallIt() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        model.script((exchange, server) -> {
            goOn.await();
            ModelServer.send(exchange, 500, "");
        });
        try (JudgedProxy proxy =
                proxy("llm_b", ", max_concurrent: 1, circuit_breaker: {consecutive_failures: 1, cooldown: 1h}")) {
            List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                all.add(proxy.client().sendAsync(proxy.request("/" + i).build(), HttpResponse.BodyHandlers.ofString()));
            }
            model.awaitQuestion();
            goOn.countDown();

            assertThat(all)
                    .allSatisfy(response -> assertThat(response.get(3L * Patience.SECONDS, TimeUnit.SECONDS)
                                    .statusCode())
                            .isEqualTo(403));
        }
        assertThat(model.asked()).hasSize(1);
    }

    @Test
    void noMoreThanSoManyCallsAreInFlight() throws Exception {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Script verdict = Script.verdict("ALLOW", "fine");
        CyclicBarrier ten = new CyclicBarrier(10);
        model.script((exchange, server) -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            ten.await(ModelServer.PATIENCE_SECONDS, TimeUnit.SECONDS); // so many there are, and fewer get no answer
            now.decrementAndGet();
            verdict.answer(exchange, server);
        });
        try (JudgedProxy proxy = proxy("llm_b", ", max_concurrent: 10, queue_timeout: 30s")) {
            List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                all.add(proxy.client().sendAsync(proxy.request("/" + i).build(), HttpResponse.BodyHandlers.ofString()));
            }

            assertThat(all)
                    .allSatisfy(response -> assertThat(response.get(3L * Patience.SECONDS, TimeUnit.SECONDS)
                                    .statusCode())
                            .isEqualTo(200));
        }
        assertThat(model.asked()).hasSize(500);
        assertThat(most.get()).isEqualTo(10);
    }

    @Tag("long")
    @Test
    void whoWaitsTooLongForACallGetsTheFallbackAndTheBreakerDoesNotCountIt() throws Exception {
        model.script(Script.silence());
        try (JudgedProxy proxy = proxy(
                "llm_a",
                ", max_concurrent: 1, queue_timeout: 100ms, timeout: 5s, circuit_breaker: {consecutive_failures: 2}")) {
            CompletableFuture<HttpResponse<String>> first =
                    proxy.client().sendAsync(proxy.request("/first").build(), HttpResponse.BodyHandlers.ofString());
            model.awaitQuestion();
            for (int i = 0; i < 3; i++) {
                assertThat(proxy.get("/next").statusCode()).isEqualTo(403);
            }
            assertThat(first.get(Patience.SECONDS, TimeUnit.SECONDS).statusCode())
                    .isEqualTo(403);

            List<JsonNode> said = proxy.annotations();
            assertThat(said)
                    .extracting(one -> one.path("error").asText())
                    .containsExactly(
                            "no call could begin within 100 ms",
                            "no call could begin within 100 ms",
                            "no call could begin within 100 ms",
                            "no answer within 5000 ms");
            assertThat(said).noneMatch(one -> one.has("circuit_breaker_tripped"));
        }
        assertThat(model.asked()).hasSize(1);
    }

    @Test
    void aClientThatLeavesGivesItsPlaceBack() throws Exception {
        model.script(Script.silence());
        try (JudgedProxy proxy = proxy(
                "llm_a",
                ", max_concurrent: 1, queue_timeout: 20s, timeout: 1h, circuit_breaker: {consecutive_failures: 1}")) {
            try (Socket client = proxy.connect()) {
                // A reset: whoever ends but its own half still waits for the answer.
                client.setSoLinger(true, 0);
                client.getOutputStream()
                        .write("GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                model.awaitQuestion();
                model.script(Script.verdict("ALLOW", "fine"));
            }

            assertThat(proxy.get("/second").statusCode()).isEqualTo(200);
            assertThat(proxy.records())
                    .extracting(record -> record.at("/audit/action").asText())
                    .containsExactlyInAnyOrder("client_cancel", "allow");
        }
    }

    @Test
    void onlyWhatTheRulesNameIsAsked() throws Exception {
        String entry = JudgedProxy.judge("llm_a", model.url(), "")
                .replace("{host: \"*\"}", "{host: \"*\", methods: [POST], paths: [\"/v1/*\"]}");
        try (JudgedProxy proxy = JudgedProxy.start(folder, entry)) {
            proxy.get("/v1/items");
            proxy.send(proxy.request("/v2/items")
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build());
            assertThat(model.asked()).isEmpty();

            proxy.send(proxy.request("/v1/items")
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build());
            assertThat(model.asked()).hasSize(1);
        }
    }

    @Test
    void severalJudgesAreAskedOneAfterTheOther() throws Exception {
        String second = JudgedProxy.judge("llm_b", model.url(), "").replace("name: one", "name: two");
        try (JudgedProxy proxy = JudgedProxy.start(folder, JudgedProxy.judge("llm_a", model.url(), ""), second)) {
            assertThat(proxy.get("/v1/items").statusCode()).isEqualTo(200);
        }
        assertThat(model.asked()).extracting(Asked::path).containsExactly("/v1/messages", "/v1/chat/completions");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            name: one                | name: ""                | /transforms/0/config/name
            prompt: "Be              | prompt: "", x: "Be      | /transforms/0/config/prompt
            [{host: "*"}]            | []                      | /transforms/0/config/rules
            type: llm_a              | type: llm_c             | /transforms/0/config/provider/type
            model: a-model           | model: ""               | /transforms/0/config/provider/model
            api_key_env: JUDGE_KEY   | api_key_env: NOT_SET    | /transforms/0/config/provider/api_key_env
            base_url: "http          | base_url: "ftp          | /transforms/0/config/provider/base_url
            model: a-model           | model: m, max_tokens: 0 | /transforms/0/config/provider/max_tokens
            name: one                | name: one, timeout: 0s  | /transforms/0/config/timeout
            name: one                | name: one, fallback: x  | /transforms/0/config/fallback
            name: one                | name: one, max_concurrent: 0 | /transforms/0/config/max_concurrent
            name: one                | name: one, circuit_breaker: {consecutive_failures: 0} | /transforms/0/config/circuit_breaker/consecutive_failures
            name: one                | name: one, circuit_breaker: {cooldown: 0s} | /transforms/0/config/circuit_breaker/cooldown
            """)
    void aWrongConfigurationIsRefusedWhereItIsWrong(String right, String wrong, String pointer) throws Exception {
        String entry = JudgedProxy.judge("llm_a", model.url(), "").replace(right, wrong);
        assertThat(problems(entry)).contains(pointer);
    }

    @Test
    void twoJudgesOfOneNameAreRefused() throws Exception {
        String entry = JudgedProxy.judge("llm_a", model.url(), "");
        assertThat(problems(entry, entry)).containsExactly("/transforms/1/config/name");
    }

    private List<String> problems(String... entries) throws Exception {
        List<String> pointers = new ArrayList<>();
        try (EgressProxy proxy = JudgedProxy.build(folder, new ByteArrayOutputStream(), entries)) {
            assertThatExceptionOfType(StartException.class)
                    .isThrownBy(proxy::start)
                    .satisfies(refused -> refused.problems().forEach(problem -> pointers.add(pointer(problem))));
        }
        return pointers;
    }

    /** Of {@code file:line:column: pointer: message}. */
    private static String pointer(String problem) {
        return problem.split(": ", 3)[1];
    }
}
