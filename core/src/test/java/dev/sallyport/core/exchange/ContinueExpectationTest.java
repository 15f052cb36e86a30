package dev.sallyport.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9110, 10.1.1: who sends the 100, that it is sent once, and whether the origin is still asked for it. */
class ContinueExpectationTest {

    private final RecordingClient client = new RecordingClient();
    private final HeaderBlock request = new HeaderBlock(4);

    private ContinueExpectation expectation() {
        request.append("Expect", "100-continue");
        ContinueExpectation expectation = ContinueExpectation.of(client, request);
        if (expectation == null) {
            throw new AssertionError("nothing is expected");
        }
        return expectation;
    }

    @ParameterizedTest
    @CsvSource({"100-continue,true", "100-Continue,true", "'x, 100-continue',true", "100,false", "'',false"})
    void onlyTheOneTokenExpectsSomething(String value, boolean expects) {
        request.append("Expect", value);

        assertThat(ContinueExpectation.of(client, request) != null).isEqualTo(expects);
    }

    @Test
    void withoutTheFieldNothingIsExpected() {
        assertThat(ContinueExpectation.of(client, request)).isNull();
    }

    @Test
    void theOriginAsksForAllThatThisSideDoesNotNeed() {
        ContinueExpectation expectation = expectation();
        expectation.forward(false);
        assertThat(client.told).isEmpty();
        assertThat(request.contains("Expect")).isTrue();

        expectation.fromOrigin();
        expectation.fromOrigin();

        assertThat(client.told).containsExactly("interim 100");
    }

    @Test
    void aTransformThatNeedsTheBodyAsksAndTheOriginDoesNot() {
        ContinueExpectation expectation = expectation();
        expectation.meet();
        expectation.meet();
        assertThat(client.told).containsExactly("interim 100");

        expectation.forward(false);
        expectation.fromOrigin();

        assertThat(request.contains("Expect")).isFalse();
        assertThat(client.told).containsExactly("interim 100");
    }

    @Test
    void aClientThatHasNotWaitedIsNotAsked() {
        ContinueExpectation expectation = expectation();
        expectation.bodyCame();
        expectation.meet();
        expectation.forward(false);

        assertThat(client.told).isEmpty();
        assertThat(request.contains("Expect")).isFalse();
    }

    @Test
    void aBodyThatTheOriginDoesNotGetAsItIsIsAskedForHere() {
        ContinueExpectation expectation = expectation();
        expectation.forward(true);

        assertThat(client.told).containsExactly("interim 100");
        assertThat(request.contains("Expect")).isFalse();
    }

    @Test
    void wasTheFieldTakenAwayTheOriginCannotAsk() {
        ContinueExpectation expectation = expectation();
        request.removeAll("Expect");
        expectation.forward(false);

        assertThat(client.told).containsExactly("interim 100");
    }

    @Test
    void aHeadThatIsSentAgainIsAskedForNoSecondTime() {
        ContinueExpectation expectation = expectation();
        expectation.forward(false);
        expectation.fromOrigin();
        expectation.forward(false);
        expectation.fromOrigin();
        expectation.meet();

        assertThat(client.told).containsExactly("interim 100");
        assertThat(request.contains("Expect")).isTrue();
    }
}
