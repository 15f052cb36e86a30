package dev.sallyport.control.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.audit.EgressBatch;
import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressFacts;
import dev.sallyport.control.audit.EgressFilter;
import dev.sallyport.control.audit.EgressIngest;
import dev.sallyport.control.audit.EgressTail;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import io.micronaut.http.sse.Event;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Answers of events that are followed, to clients that take them and to others. */
@Timeout(60)
class TailStreamTest {

    private static final EgressFilter ALL = new EgressFilter(
            new EgressFilter.Subject(null, null, null),
            new EgressFilter.Outcome(null, null, null, null, null),
            null,
            null);
    private static final Caller CALLER = new Caller("org_a", "usr_a", "key_a", "127.0.0.1");

    @TempDir
    Path folder;

    private volatile boolean revoked;
    private Store store;
    private EgressIngest ingest;
    private EgressTail tail;
    private long position;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        ingest = new EgressIngest(store, Clock.systemUTC());
        tail = new EgressTail(store, ingest, ids -> revoked ? Set.of() : ids);
    }

    @AfterEach
    void close() {
        tail.close();
        store.close();
    }

    /** Notes what it gets. */
    private static final class Client implements Subscriber<Event<String>> {

        private final List<String> got = new CopyOnWriteArrayList<>();
        private Subscription subscription;

        @Override
        public void onSubscribe(Subscription given) {
            subscription = given;
        }

        @Override
        public void onNext(Event<String> event) {
            got.add(event.getName());
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

    private TailStream stream() {
        TailStream stream = new TailStream(tail::wake);
        stream.open(tail.follow(CALLER, ALL, null, stream));
        return stream;
    }

    private void arrive(int count) {
        for (int i = 0; i < count; i++) {
            EgressFacts facts = new EgressFacts(
                    Instant.now(),
                    null,
                    new EgressFacts.Target("a.test", null, EgressEvent.Protocol.TLS),
                    new EgressFacts.Outcome(EgressEvent.Verdict.ALLOWED, true, EgressMode.ENFORCE, null),
                    List.of());
            ingest.add(new EgressBatch("prx_1", "e", List.of(new EgressBatch.Numbered(++position, "org_a", facts))));
        }
    }

    @Test
    void itBeginsWithItsSubscriber() {
        TailStream stream = stream();
        arrive(2);
        Awaitility.await().during(Duration.ofMillis(300)).until(() -> stream.room() == 127);

        Client client = new Client();
        stream.subscribe(client);
        client.subscription.request(10);

        Awaitility.await().untilAsserted(() -> assertThat(client.got).containsExactly("hello", "event", "event"));
    }

    @Test
    void answersThatAreOverAreNotCounted() {
        for (int i = 0; i < 12; i++) {
            Client client = new Client();
            TailStream stream = stream();
            stream.subscribe(client);
            client.subscription.cancel();
            assertThat(client.got).isEmpty();
        }
        for (int i = 0; i < 12; i++) {
            Client client = new Client();
            TailStream stream = stream();
            stream.end();
            stream.subscribe(client);
            assertThat(client.got).containsExactly("end");
        }
    }

    @Test
    void whoDoesNotReadGetsNothingAfterItsKeyWasRevoked() {
        Client client = new Client();
        TailStream stream = stream();
        stream.subscribe(client);
        client.subscription.request(1);
        arrive(3);
        Awaitility.await().until(() -> stream.room() == 125);

        revoked = true;
        Awaitility.await().untilAsserted(() -> assertThat(client.got).containsExactly("hello", "end"));

        client.subscription.request(10);
        assertThat(client.got).containsExactly("hello", "end");
    }
}
