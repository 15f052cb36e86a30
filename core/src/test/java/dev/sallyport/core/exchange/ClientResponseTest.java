package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.exchange.ClientResponse.Phase;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.pipeline.ResponseSteps;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.StubResponse;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How far a response is, and what may happen then: nothing leaves past the phases in front. */
class ClientResponseTest {

    private static final StubResponse STUB = StubResponse.status(403).body("no").build();

    private final CompletableFuture<ResponseDecision> verdict = new CompletableFuture<>();

    private ExchangeFixture at(Phase phase) {
        boolean judged = phase == Phase.FILTERING || phase == Phase.JUDGING;
        ExchangeFixture exchange = new ExchangeFixture(
                phase == Phase.HEAD_ONLY ? "HEAD" : "GET",
                0,
                phase == Phase.SWITCHED,
                judged ? ResponseStep.async(answer -> verdict) : null);
        exchange.upload().onEnd(new HeaderBlock(1));
        exchange.ready(false);
        switch (phase) {
            case FILTERING -> {
                exchange.interim(103);
                exchange.head(200, 9);
                exchange.data("secret");
            }
            case JUDGING -> {
                exchange.head(200, 9);
                exchange.data("secret");
            }
            case SENDING, HEAD_ONLY -> exchange.head(200, 9);
            case SWITCHED -> exchange.head(101, 0);
            case ENDED -> exchange.head(200, 0);
            case NONE, PASSED -> {}
        }
        assertThat(exchange.response().phase()).isEqualTo(phase);
        return exchange;
    }

    private static Consumer<ExchangeFixture> event(String name) {
        ResponseMessage head = new ResponseMessage(200, "", new HeaderBlock(1), 9);
        LocalResponses.LocalResponse own = LocalResponses.stub(STUB);
        ResponseSteps none = new ResponseSteps();
        return switch (name) {
            case "interim" ->
                exchange -> exchange.response().interim(new ResponseMessage(103, "", new HeaderBlock(1), 0), none);
            case "begin" -> exchange -> exchange.response().begin(head, false, bytes -> {}, none);
            case "switching" -> exchange -> exchange.response().switching(head, none);
            case "locally" -> exchange -> exchange.response().beginLocally(own, none);
            case "answer" -> exchange -> exchange.response().answer(own);
            case "replace" -> exchange -> exchange.response().replace(STUB);
            case "pass" -> exchange -> exchange.response().pass();
            case "switch" -> exchange -> exchange.response().sendSwitch();
            case "body" -> exchange -> exchange.response().begin(9);
            case "data" -> exchange -> exchange.response().data(ExchangeFixture.bytes("x"));
            case "end" -> exchange -> exchange.response().end(new HeaderBlock(1));
            default -> throw new AssertionError(name);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "NONE,      FILTERING ENDED",
        "FILTERING, JUDGING ENDED",
        "JUDGING,   NONE PASSED ENDED",
        "PASSED,    SENDING HEAD_ONLY SWITCHED ENDED",
        "SENDING,   ENDED",
        "HEAD_ONLY, ENDED",
        "SWITCHED,  ENDED",
        "ENDED,     ENDED",
    })
    void theTableOfPhases(Phase from, String next) {
        String reached = Arrays.stream(Phase.values())
                .filter(from::mayBecome)
                .map(Phase::name)
                .collect(Collectors.joining(" "));

        assertThat(reached).isEqualTo(next);
    }

    @ParameterizedTest
    @CsvSource({
        "NONE,      interim, NONE,      interim 103",
        "NONE,      locally, ENDED,     403 end",
        "NONE,      answer,  ENDED,     403 end",
        "FILTERING, interim, FILTERING, ",
        "FILTERING, answer,  ENDED,     403 end",
        "JUDGING,   interim, JUDGING,   ",
        "JUDGING,   answer,  ENDED,     403 end",
        "JUDGING,   replace, JUDGING,   ",
        "SENDING,   interim, SENDING,   200",
        "SENDING,   data,    SENDING,   200 data x",
        "SENDING,   end,     ENDED,     200 end",
        "HEAD_ONLY, interim, HEAD_ONLY, 200 whole",
        "HEAD_ONLY, data,    HEAD_ONLY, 200 whole",
        "HEAD_ONLY, end,     ENDED,     200 whole",
        "SWITCHED,  interim, SWITCHED,  101",
        "ENDED,     data,    ENDED,     200 whole",
    })
    void whatMayHappen(Phase phase, String event, Phase next, String told) {
        try (ExchangeFixture exchange = at(phase)) {
            event(event).accept(exchange);

            assertThat(exchange.response().phase()).isEqualTo(next);
            assertThat(String.join(" ", exchange.client).replace("data no ", ""))
                    .isEqualTo(told == null ? "" : told);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "NONE,      pass,      PASSED after NONE",
        "NONE,      replace,   a replacement after NONE",
        "NONE,      switch,    SWITCHED after NONE",
        "NONE,      body,      a body that begins after NONE",
        "NONE,      data,      data after NONE",
        "NONE,      end,       an end after NONE",
        "FILTERING, begin,     FILTERING after FILTERING",
        "FILTERING, switching, FILTERING after FILTERING",
        "FILTERING, locally,   FILTERING after FILTERING",
        "FILTERING, pass,      PASSED after FILTERING",
        "FILTERING, replace,   a replacement after FILTERING",
        "FILTERING, switch,    SWITCHED after FILTERING",
        "FILTERING, body,      a body that begins after FILTERING",
        "FILTERING, data,      data after FILTERING",
        "FILTERING, end,       an end after FILTERING",
        "JUDGING,   begin,     FILTERING after JUDGING",
        "JUDGING,   locally,   FILTERING after JUDGING",
        "JUDGING,   switch,    SWITCHED after JUDGING",
        "JUDGING,   body,      a body that begins after JUDGING",
        "JUDGING,   data,      data after JUDGING",
        "JUDGING,   end,       an end after JUDGING",
        "SENDING,   begin,     FILTERING after SENDING",
        "SENDING,   pass,      PASSED after SENDING",
        "SENDING,   answer,    an answer after SENDING",
        "SENDING,   replace,   a replacement after SENDING",
        "SENDING,   body,      a body that begins after SENDING",
        "HEAD_ONLY, pass,      PASSED after HEAD_ONLY",
        "HEAD_ONLY, answer,    an answer after HEAD_ONLY",
        "SWITCHED,  answer,    an answer after SWITCHED",
        "SWITCHED,  data,      data after SWITCHED",
        "SWITCHED,  end,       an end after SWITCHED",
        "SWITCHED,  switch,    SWITCHED after SWITCHED",
    })
    void whatCannotHappenEndsTheExchangeClosed(Phase phase, String event, String why) throws Exception {
        try (ExchangeFixture exchange = at(phase)) {
            List<String> before = List.copyOf(exchange.client);

            assertThatThrownBy(() -> event(event).accept(exchange))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("response: " + why);

            assertThat(exchange.response().phase()).isEqualTo(Phase.ENDED);
            assertThat(exchange.client.subList(0, before.size())).isEqualTo(before);
            assertThat(exchange.client.subList(before.size(), exchange.client.size()))
                    .containsExactly("abort");
            assertThat(exchange.origin).endsWith("1 abort");
            assertThat(exchange.record()).contains("\"action\":\"error\"", "internal_error: ", "response: " + why);
            assertThat(exchange.hasRecord()).isFalse();
        }
    }

    /** Whatever is called after the end, nothing more is told. */
    @ParameterizedTest
    @CsvSource({"begin", "switching", "locally", "answer", "pass", "switch", "body", "end", "replace"})
    void nothingFollowsTheEnd(String event) throws Exception {
        try (ExchangeFixture exchange = at(Phase.ENDED)) {
            assertThatThrownBy(() -> event(event).accept(exchange)).isInstanceOf(IllegalStateException.class);

            assertThat(exchange.client).containsExactly("200 whole");
            assertThat(exchange.record()).contains("\"action\":\"allow\"");
            assertThat(exchange.hasRecord()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FILTERING", "JUDGING"})
    void nothingLeavesBeforeItsVerdict(Phase phase) throws Exception {
        try (ExchangeFixture exchange = at(phase)) {
            exchange.data("xyz");
            exchange.end();
            assertThat(exchange.client).isEmpty();

            verdict.complete(ResponseDecision.proceed(Edits.none()));
            exchange.loop();

            assertThat(exchange.client).endsWith("200", "data secretxyz", "end");
            assertThat(exchange.record()).contains("\"status_code\":200");
        }
    }

    @Test
    void ofAReplacedResponseNothingLeaves() throws Exception {
        try (ExchangeFixture exchange = at(Phase.JUDGING)) {
            verdict.complete(ResponseDecision.replace(STUB));
            exchange.loop();

            assertThat(exchange.client).containsExactly("403", "data no", "end");
            assertThat(exchange.origin).endsWith("1 abort");
            assertThat(exchange.record()).contains("\"status_code\":403");
        }
    }

    @ParameterizedTest
    @CsvSource({"JUDGING, 1", "SENDING, 0", "HEAD_ONLY, 0", "SWITCHED, 1"})
    void fieldsAreNotKeptWhileTheBodyIsOnItsWay(Phase phase, int fields) throws Exception {
        try (ExchangeFixture exchange = at(phase)) {
            assertThat(exchange.response().head().headers().size()).isEqualTo(fields);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FILTERING", "JUDGING", "SENDING", "HEAD_ONLY"})
    void anOriginThatBreaksOffNeverLooksComplete(Phase phase) throws Exception {
        try (ExchangeFixture exchange = at(phase)) {
            exchange.fail(Repeat.NEVER);
            verdict.complete(ResponseDecision.proceed(Edits.none()));
            exchange.loop();

            assertThat(exchange.client).doesNotContain("data secret");
            if (phase == Phase.SENDING || phase == Phase.HEAD_ONLY) {
                assertThat(exchange.client).endsWith("abort");
            } else {
                assertThat(exchange.client).contains("502");
            }
            assertThat(exchange.record()).contains("\"action\":\"error\"");
        }
    }
}
