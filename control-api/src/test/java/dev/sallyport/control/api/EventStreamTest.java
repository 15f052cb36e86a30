package dev.sallyport.control.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.http.sse.Event;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Answers of events, to clients that take them and to others. */
class EventStreamTest {

    private final EventStream stream = new EventStream();
    private final Client client = new Client();
    private int closed;

    @BeforeEach
    void watch() {
        stream.onClose(() -> closed++);
    }

    /** Notes what it gets. */
    private static final class Client implements Subscriber<Event<String>> {

        private final List<String> got = new ArrayList<>();
        private Subscription subscription;

        @Override
        public void onSubscribe(Subscription given) {
            subscription = given;
        }

        @Override
        public void onNext(Event<String> event) {
            got.add(event.getName() + " " + event.getData());
        }

        @Override
        public void onError(Throwable fault) {
            got.add("error");
        }

        @Override
        public void onComplete() {
            got.add("end");
        }
    }

    @Test
    void eventsWaitUntilTheyAreAskedForAndComeInOrder() {
        stream.send("a", "1");
        stream.subscribe(client);
        stream.send("b", "2");
        assertThat(client.got).isEmpty();

        client.subscription.request(1);
        assertThat(client.got).containsExactly("a 1");
        client.subscription.request(5);
        stream.end();
        stream.send("c", "3");

        assertThat(client.got).containsExactly("a 1", "b 2", "end");
        assertThat(closed).isEqualTo(1);
    }

    @Test
    void whoDoesNotTakeThemIsNotWaitedFor() {
        stream.subscribe(client);
        for (int i = 0; i < 100; i++) {
            stream.send("a", String.valueOf(i));
        }

        assertThat(client.got).containsExactly("end");
        assertThat(closed).isEqualTo(1);
    }

    @Test
    void whoHasGoneAwayGetsNothingMore() {
        stream.subscribe(client);
        client.subscription.request(10);
        client.subscription.cancel();
        stream.send("a", "1");
        stream.end();

        assertThat(client.got).isEmpty();
        assertThat(closed).isEqualTo(1);
    }

    /** The framework does not subscribe when the client has gone away meanwhile. */
    @Test
    void anAnswerThatNobodyTakesEnds() {
        for (int i = 0; i < 100; i++) {
            stream.send("a", String.valueOf(i));
        }
        assertThat(closed).isEqualTo(1);

        stream.subscribe(client);
        assertThat(client.got).containsExactly("end");
    }

    @Test
    void anAnswerThatEndsBeforeItBeganSaysSoOnce() {
        stream.end();
        assertThat(closed).isEqualTo(1);

        stream.subscribe(client);
        assertThat(client.got).containsExactly("end");
        assertThat(closed).isEqualTo(1);
    }
}
