package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Interim heads leave one after the other, in order, each after its verdict; the final head waits behind them. */
class InterimResponsesTest {

    private final List<CompletableFuture<ResponseDecision>> asked = new ArrayList<>();
    private final ResponseStep asking = ResponseStep.async(context -> {
        CompletableFuture<ResponseDecision> verdict = new CompletableFuture<>();
        asked.add(verdict);
        return verdict;
    });

    private static ResponseMessage head(int status) {
        return new ResponseMessage(status, "", new HeaderBlock(1), 0);
    }

    private static ExchangeFixture exchange(ResponseStep step) {
        ExchangeFixture exchange = new ExchangeFixture("GET", 0, false, step);
        exchange.upload().onEnd(new HeaderBlock(1));
        return exchange;
    }

    private static void add(InterimResponses interim, ExchangeFixture exchange, int status) {
        interim.add(head(status), exchange.exchange().responseSteps());
    }

    @Test
    void eachWaitsForTheVerdictOnTheOneBefore() {
        try (ExchangeFixture exchange = exchange(asking)) {
            RecordingClient client = new RecordingClient(exchange.channel());
            InterimResponses interim = new InterimResponses(exchange.exchange(), exchange.generation(), client);
            add(interim, exchange, 102);
            add(interim, exchange, 103);
            interim.afterwards(() -> client.told.add("final"));

            assertThat(asked).hasSize(1);
            assertThat(interim.underWay()).isTrue();
            assertThat(client.told).isEmpty();

            asked.getFirst().complete(ResponseDecision.proceed());
            exchange.loop();
            assertThat(client.told).containsExactly("interim 102");
            assertThat(asked).hasSize(2);

            asked.getLast().complete(ResponseDecision.proceed());
            exchange.loop();
            assertThat(client.told).containsExactly("interim 102", "interim 103", "final");
            assertThat(interim.underWay()).isFalse();
        }
    }

    /** A step that fails, or wants more than to pass the head on, costs the hint and not the exchange. */
    @Test
    void aHeadThatIsNotPassedOnIsDropped() {
        try (ExchangeFixture exchange = exchange(asking)) {
            RecordingClient client = new RecordingClient(exchange.channel());
            InterimResponses interim = new InterimResponses(exchange.exchange(), exchange.generation(), client);
            for (int i = 0; i < 3; i++) {
                add(interim, exchange, 103);
            }
            interim.afterwards(() -> client.told.add("final"));

            asked.get(0).complete(ResponseDecision.refuse("no", "No."));
            exchange.loop();
            asked.get(1).completeExceptionally(new IllegalStateException("broken"));
            exchange.loop();
            asked.get(2).complete(ResponseDecision.proceed());
            exchange.loop();

            assertThat(client.told).containsExactly("interim 103", "final");
            assertThat(exchange.client).isEmpty();
        }
    }

    @Test
    void aClientThatDoesNotReadGetsNone() {
        try (ExchangeFixture exchange = exchange(asking)) {
            RecordingClient client = new RecordingClient(exchange.channel());
            InterimResponses interim = new InterimResponses(exchange.exchange(), exchange.generation(), client);
            client.writable = false;
            add(interim, exchange, 103);
            assertThat(asked).as("not even judged").isEmpty();

            client.writable = true;
            add(interim, exchange, 103);
            client.writable = false;
            asked.getFirst().complete(ResponseDecision.proceed());
            exchange.loop();

            assertThat(client.told).isEmpty();
            assertThat(interim.underWay()).isFalse();
        }
    }

    @Test
    void afterCancellingNothingFollows() {
        try (ExchangeFixture exchange = exchange(asking)) {
            RecordingClient client = new RecordingClient(exchange.channel());
            InterimResponses interim = new InterimResponses(exchange.exchange(), exchange.generation(), client);
            add(interim, exchange, 102);
            add(interim, exchange, 103);
            interim.afterwards(() -> client.told.add("final"));

            interim.cancel();
            interim.cancel();
            asked.getFirst().complete(ResponseDecision.proceed());
            exchange.loop();

            assertThat(client.told).isEmpty();
            assertThat(asked).hasSize(1);
        }
    }

    /** Heads whose verdict comes at once must not pile up on the stack. */
    @Test
    void anyNumberOfImmediateVerdictsNeedsNoStack() {
        List<Integer> depths = new ArrayList<>();
        try (ExchangeFixture exchange = exchange(ResponseStep.async(context -> {
            CompletableFuture<ResponseDecision> verdict = new CompletableFuture<>();
            asked.add(verdict);
            depths.add(new Throwable().getStackTrace().length);
            if (asked.size() > 1) {
                verdict.complete(ResponseDecision.proceed());
            }
            return verdict;
        }))) {
            RecordingClient client = new RecordingClient(exchange.channel());
            InterimResponses interim = new InterimResponses(exchange.exchange(), exchange.generation(), client);
            for (int i = 0; i < 50; i++) {
                add(interim, exchange, 103);
            }
            asked.getFirst().complete(ResponseDecision.proceed());
            exchange.loop();

            assertThat(client.told).hasSize(50);
            assertThat(depths.get(49)).as("as deep as the second").isEqualTo(depths.get(1));
        }
    }
}
