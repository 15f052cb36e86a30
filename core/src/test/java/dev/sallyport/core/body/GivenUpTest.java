package dev.sallyport.core.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Body;
import dev.sallyport.spi.BodyObserver;
import dev.sallyport.spi.Buffered;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Readers that give up, and bodies that are given up by their readers. */
class GivenUpTest {

    @Test
    void aReadThatWasGivenUpIsNotAnsweredAndTheBodyGoesOn() {
        BodyFixture fixture = BodyFixture.plain(-1);
        RecordingRead read = fixture.read(0, Buffered.whole());
        fixture.send("half");

        fixture.body.stopReading();
        fixture.body.release(fixture.sink);
        fixture.send(" and half");
        fixture.finish();

        assertThat(read.body).isNull();
        assertThat(read.failure).isNull();
        assertThat(fixture.out()).isEqualTo("half and half");
        fixture.assertNothingHeld();
    }

    @Test
    void observersHearOfTheEndBeforeTheReaderThatGivesTheBodyUpReturns() {
        BodyFixture fixture = BodyFixture.plain(4);
        List<String> order = new ArrayList<>();
        fixture.body.observe(
                0,
                new BodyObserver() {
                    @Override
                    public void data(ByteBuffer bytes) {}

                    @Override
                    public void end(boolean complete) {
                        order.add("end " + complete);
                    }
                },
                false);
        fixture.body.read(1, Buffered.prefix(1), new ReadCallback() {
            @Override
            public void ready(Body body) {
                fixture.body.discard();
                order.add("given up");
            }

            @Override
            public void failed(BodyFailure failure) {
                order.add("failed");
            }
        });
        fixture.send("xy");

        assertThat(order).containsExactly("end false", "given up");
        fixture.assertNothingHeld();
    }

    @Test
    void trailerFieldsThatAreThereAreAnnounced() {
        BodyFixture fixture = BodyFixture.plain(-1);
        List<Boolean> announced = new ArrayList<>();
        fixture.sink.onBegin = () -> announced.add(fixture.body.trailing());
        fixture.send("body");
        HeaderBlock trailers = new HeaderBlock();
        trailers.append("X-Sum", "1");
        fixture.body.end(trailers);
        fixture.body.release(fixture.sink);

        assertThat(announced).containsExactly(true);
    }
}
