package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.exchange.UpgradeRelay.State;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.spi.StubResponse;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the relay does with what comes before, between and after both sides know of it. */
class UpgradeRelayTest {

    private final CompletableFuture<ResponseDecision> verdict = new CompletableFuture<>();

    /** The origin has agreed; the transforms have not. */
    private ExchangeFixture agreed() {
        ExchangeFixture exchange = new ExchangeFixture("GET", 0, true, ResponseStep.async(answer -> verdict));
        exchange.upload().onEnd(new HeaderBlock(1));
        exchange.ready(false);
        exchange.head(101, 0);
        return exchange;
    }

    private void decide(ExchangeFixture exchange, ResponseDecision decision) {
        verdict.complete(decision);
        exchange.loop();
    }

    private ExchangeFixture open() {
        ExchangeFixture exchange = agreed();
        decide(exchange, ResponseDecision.proceed(Edits.none()));
        return exchange;
    }

    @ParameterizedTest
    @CsvSource({
        "AGREED,      OPEN OVER",
        "OPEN,        CLIENT_LEFT OVER",
        "CLIENT_LEFT, OVER",
        "OVER,        OVER",
    })
    void theTableOfStates(State from, String next) {
        String reached = Arrays.stream(State.values())
                .filter(from::mayBecome)
                .map(State::name)
                .collect(Collectors.joining(" "));

        assertThat(reached).isEqualTo(next);
    }

    @Test
    void whatTheOriginSaysEarlyWaitsForTheVerdict() throws Exception {
        try (ExchangeFixture exchange = agreed()) {
            exchange.data("early");
            exchange.end();
            assertThat(exchange.client).isEmpty();

            decide(exchange, ResponseDecision.proceed(Edits.none()));

            assertThat(exchange.client).containsExactly("101", "data early", "end");
            exchange.upload().onEnd(new HeaderBlock(1));
            assertThat(exchange.origin).endsWith("1 end", "1 abort");
            assertThat(exchange.record()).contains("\"status_code\":101");
        }
    }

    @Test
    void whatTheOriginSaidEarlyIsThrownAwayWithTheAgreement() throws Exception {
        try (ExchangeFixture exchange = agreed()) {
            exchange.data("early");

            decide(
                    exchange,
                    ResponseDecision.replace(StubResponse.status(403).body("no").build()));

            assertThat(exchange.client).containsExactly("403", "data no", "end");
            assertThat(exchange.origin).endsWith("1 abort");
            assertThat(exchange.record()).contains("\"status_code\":403");
        }
    }

    @Test
    void anOriginThatFailsBeforeTheVerdictIsNoAnswer() throws Exception {
        try (ExchangeFixture exchange = agreed()) {
            exchange.data("early");
            exchange.fail(Repeat.UNPROCESSED);

            assertThat(exchange.client.get(0)).isEqualTo("502");
            assertThat(exchange.client).doesNotContain("data early");
            assertThat(exchange.record()).contains("\"status_code\":502");
        }
    }

    @Test
    void anOriginThatFailsAfterwardsBreaksTheClientOff() throws Exception {
        try (ExchangeFixture exchange = open()) {
            exchange.data("a");
            exchange.fail(Repeat.NEVER);

            assertThat(exchange.client).containsExactly("101", "data a", "abort");
            assertThat(exchange.record()).contains("\"action\":\"error\"", "origin.example: gone");
        }
    }

    @Test
    void whatAClientSentBeforeItLeftIsWaitedFor() throws Exception {
        try (ExchangeFixture exchange = open()) {
            exchange.upload().onData(ExchangeFixture.bytes("last"));
            exchange.upload().onEnd(new HeaderBlock(1));
            exchange.upload().onGone(DisconnectReason.LEFT);
            assertThat(exchange.hasRecord()).isFalse();

            exchange.data("for nobody");
            exchange.end();

            assertThat(exchange.origin).contains("1 data last", "1 end");
            assertThat(exchange.client).containsExactly("101");
            assertThat(exchange.record()).contains("\"status_code\":101");
        }
    }

    @Test
    void aClientThatLeavesBeforeTheVerdictIsGone() throws Exception {
        try (ExchangeFixture exchange = agreed()) {
            exchange.data("early");
            exchange.upload().onGone(DisconnectReason.LEFT);

            assertThat(exchange.origin).endsWith("1 abort");
            assertThat(exchange.record()).contains("\"action\":\"client_cancel\"");
        }
    }

    private static Consumer<ExchangeFixture> event(String name) {
        return switch (name) {
            case "ready" -> exchange -> exchange.ready(false);
            case "interim" -> exchange -> exchange.interim(103);
            case "head" -> exchange -> exchange.head(200, 9);
            default -> throw new AssertionError(name);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "ready,   a stream",
        "interim, an interim head",
        "head,    a head",
    })
    void whatCannotComeEndsTheExchangeClosed(String event, String what) throws Exception {
        try (ExchangeFixture exchange = open()) {
            assertThatThrownBy(() -> event(event).accept(exchange))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("relay: " + what + " while OPEN");

            assertThat(exchange.client).containsExactly("101", "abort");
            assertThat(exchange.origin).endsWith("1 abort");
            assertThat(exchange.record()).contains("internal_error: ", "relay: " + what);
        }
    }
}
