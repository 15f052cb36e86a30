package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.exchange.UpstreamRequest.State;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import dev.sallyport.spi.ResponseStep;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How far the way to the origin is, and what may happen then. */
class UpstreamRequestTest {

    /** What brings an exchange so far, each from the one before. */
    private static ExchangeFixture at(State state) {
        ExchangeFixture exchange = new ExchangeFixture("GET", 0, state == State.UPGRADED, null);
        exchange.upload().onEnd(new HeaderBlock(1));
        if (state == State.OPENING) {
            return exchange;
        }
        exchange.ready(false);
        switch (state) {
            case ANSWERED -> exchange.head(200, 9);
            case COMPLETE -> exchange.head(200, 0);
            case UPGRADED -> exchange.head(101, 0);
            case CLOSED -> exchange.fail(Repeat.NEVER);
            case IDLE, OPENING, OPEN -> {}
        }
        return exchange;
    }

    private static Consumer<ExchangeFixture> event(String name) {
        return switch (name) {
            case "ready" -> exchange -> exchange.ready(false);
            case "interim" -> exchange -> exchange.interim(103);
            case "head" -> exchange -> exchange.head(200, 9);
            case "data" -> exchange -> exchange.data("x");
            case "end" -> ExchangeFixture::end;
            case "failure" -> exchange -> exchange.fail(Repeat.NEVER);
            case "stale" -> exchange -> exchange.fail(Repeat.UNPROCESSED);
            case "writable" -> exchange -> exchange.current().onWritable();
            case "open" -> exchange -> exchange.leg().open();
            default -> throw new AssertionError(name);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "IDLE,     OPENING CLOSED",
        "OPENING,  OPENING OPEN CLOSED",
        "OPEN,     OPENING ANSWERED UPGRADED CLOSED",
        "ANSWERED, IDLE COMPLETE CLOSED",
        "COMPLETE, IDLE CLOSED",
        "UPGRADED, CLOSED",
        "CLOSED,   CLOSED",
    })
    void theTableOfStates(State from, String next) {
        String reached = Arrays.stream(State.values())
                .filter(from::mayBecome)
                .map(State::name)
                .collect(Collectors.joining(" "));

        assertThat(reached).isEqualTo(next);
    }

    @ParameterizedTest
    @CsvSource({
        "OPENING,  ready,    OPEN",
        "OPENING,  failure,  CLOSED",
        "OPENING,  stale,    OPENING",
        "OPENING,  writable, OPENING",
        "OPEN,     interim,  OPEN",
        "OPEN,     head,     ANSWERED",
        "OPEN,     failure,  CLOSED",
        "OPEN,     stale,    OPENING",
        "OPEN,     writable, OPEN",
        "ANSWERED, data,     ANSWERED",
        "ANSWERED, end,      COMPLETE",
        "ANSWERED, failure,  CLOSED",
        "ANSWERED, stale,    CLOSED",
        "ANSWERED, writable, ANSWERED",
        "COMPLETE, writable, COMPLETE",
        "COMPLETE, failure,  CLOSED",
        "CLOSED,   open,     CLOSED",
        "CLOSED,   ready,    CLOSED",
        "CLOSED,   interim,  CLOSED",
        "CLOSED,   head,     CLOSED",
        "CLOSED,   data,     CLOSED",
        "CLOSED,   end,      CLOSED",
        "CLOSED,   failure,  CLOSED",
        "CLOSED,   stale,    CLOSED",
        "CLOSED,   writable, CLOSED",
    })
    void whatMayHappen(State state, String event, State next) {
        try (ExchangeFixture exchange = at(state)) {
            UpstreamRequest leg = exchange.leg();
            assertThat(leg.state()).isEqualTo(state);

            event(event).accept(exchange);

            assertThat(leg.state()).isEqualTo(next);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "OPENING,  interim, an interim head while OPENING",
        "OPENING,  head,    a head while OPENING",
        "OPENING,  data,    data while OPENING",
        "OPENING,  end,     COMPLETE after OPENING",
        "OPENING,  open,    the request while OPENING",
        "OPEN,     ready,   OPEN after OPEN",
        "OPEN,     data,    data while OPEN",
        "OPEN,     end,     COMPLETE after OPEN",
        "OPEN,     open,    the request while OPEN",
        "ANSWERED, ready,   OPEN after ANSWERED",
        "ANSWERED, interim, an interim head while ANSWERED",
        "ANSWERED, head,    ANSWERED after ANSWERED",
    })
    void whatCannotHappenEndsTheExchangeClosed(State state, String event, String why) throws Exception {
        try (ExchangeFixture exchange = at(state)) {
            UpstreamRequest leg = exchange.leg();

            assertThatThrownBy(() -> event(event).accept(exchange))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("upstream: " + why);

            assertThat(leg.state()).isEqualTo(State.CLOSED);
            assertThat(exchange.client).endsWith("abort").doesNotContain("data x", "end");
            assertThat(exchange.record()).contains("\"action\":\"error\"", "internal_error: ", "upstream: " + why);
            assertThat(exchange.hasRecord()).isFalse();
        }
    }

    /** A response that is complete while its request is not: nothing more may come of it. */
    @ParameterizedTest
    @CsvSource({
        "head,    ANSWERED after COMPLETE",
        "interim, an interim head while COMPLETE",
        "data,    data while COMPLETE",
        "end,     COMPLETE after COMPLETE",
    })
    void nothingFollowsACompleteResponse(String event, String why) throws Exception {
        ResponseStep undecided = ResponseStep.async(answer -> new CompletableFuture<>());
        try (ExchangeFixture exchange = new ExchangeFixture("GET", 0, false, undecided)) {
            exchange.upload().onEnd(new HeaderBlock(1));
            exchange.ready(false);
            exchange.head(200, 3);
            exchange.data("abc");
            exchange.end();
            assertThat(exchange.leg().state()).isEqualTo(State.COMPLETE);

            assertThatThrownBy(() -> event(event).accept(exchange))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("upstream: " + why);

            assertThat(exchange.client).containsExactly("abort");
            assertThat(exchange.record()).contains("internal_error: ");
        }
    }

    /** The relay listens then; what reaches the leg all the same cannot have come from the stream. */
    @ParameterizedTest
    @CsvSource({
        "ready,   OPEN after UPGRADED",
        "interim, an interim head while UPGRADED",
        "head,    ANSWERED after UPGRADED",
        "data,    data while UPGRADED",
        "end,     COMPLETE after UPGRADED",
        "failure, a failure while UPGRADED",
    })
    void hearsNothingOnceTheRelayListens(String event, String why) throws Exception {
        try (ExchangeFixture exchange = at(State.UPGRADED)) {
            assertThat(exchange.leg().state()).isEqualTo(State.UPGRADED);
            assertThat(exchange.current()).isNotSameAs(exchange.leg());
            exchange.listenAgain();

            assertThatThrownBy(() -> event(event).accept(exchange))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("upstream: " + why);

            assertThat(exchange.client).containsExactly("101", "abort");
            assertThat(exchange.record()).contains("internal_error: ");
        }
    }

    @Test
    void aBodyThatHasLeftIsSentAgainInFront() {
        try (ExchangeFixture exchange = new ExchangeFixture("PUT", 9, false, null)) {
            exchange.upload().onData(ExchangeFixture.bytes("abc"));
            exchange.ready(true);
            exchange.fail(Repeat.STALE_CONNECTION);
            exchange.upload().onData(ExchangeFixture.bytes("def"));
            exchange.ready(false);
            exchange.upload().onData(ExchangeFixture.bytes("ghi"));
            exchange.upload().onEnd(new HeaderBlock(1));

            assertThat(String.join(",", exchange.origin))
                    .isEqualTo("open,1 PUT,1 data abc,open,2 PUT,2 data abc,2 data def,2 data ghi,2 end");
        }
    }

    @Test
    void aSecondStreamThatIsStaleTooIsTheLast() {
        try (ExchangeFixture exchange = at(State.OPEN)) {
            exchange.fail(Repeat.UNPROCESSED);
            exchange.ready(true);
            exchange.fail(Repeat.UNPROCESSED);

            assertThat(exchange.origin).isEqualTo(List.of("open", "1 GET whole", "open", "2 GET whole"));
            assertThat(exchange.client.get(0)).isEqualTo("502");
        }
    }

    @Test
    void afterAnInterimHeadNothingIsSentAgain() {
        try (ExchangeFixture exchange = at(State.OPEN)) {
            exchange.interim(103);
            exchange.fail(Repeat.UNPROCESSED);

            assertThat(exchange.origin).isEqualTo(List.of("open", "1 GET whole"));
            assertThat(exchange.client.subList(0, 2)).containsExactly("interim 103", "502");
        }
    }

    @Test
    void aBodyThatWasNotKeptIsNotSentAgain() {
        try (ExchangeFixture exchange = new ExchangeFixture("PUT", 9, false, null)) {
            exchange.ready(false);
            exchange.upload().onData(ExchangeFixture.bytes("abc"));
            exchange.fail(Repeat.UNPROCESSED);

            assertThat(exchange.origin).isEqualTo(List.of("open", "1 PUT", "1 data abc"));
            assertThat(exchange.client.get(0)).isEqualTo("502");
        }
    }

    @Test
    void anOriginThatSpeaksHttp2AloneIsAskedOnceMore() {
        try (ExchangeFixture exchange = new ExchangeFixture("GET", 0, true, null)) {
            exchange.fail(Repeat.OVER_HTTP2);
            assertThat(exchange.leg().state()).isEqualTo(State.OPENING);
            exchange.fail(Repeat.OVER_HTTP2);

            assertThat(exchange.leg().state()).isEqualTo(State.CLOSED);
            assertThat(exchange.origin).isEqualTo(List.of("open", "open"));
            assertThat(exchange.client.get(0)).isEqualTo("502");
        }
    }

    @Test
    void aStreamThatComesTooLateIsGivenBack() {
        try (ExchangeFixture exchange = at(State.OPENING)) {
            exchange.upload().onGone(DisconnectReason.LEFT);
            exchange.ready(false);

            assertThat(exchange.origin).isEqualTo(List.of("open", "cancel", "1 abort"));
        }
    }
}
