package dev.sallyport.control.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Those who follow events: how many, from where, and until when. */
@Timeout(60)
class EgressTailTest {

    private static final EgressFilter ALL = new EgressFilter(
            new EgressFilter.Subject(null, null, null),
            new EgressFilter.Outcome(null, null, null, null, null),
            null,
            null);

    @TempDir
    Path folder;

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong positions = new AtomicLong();
    private final Set<String> revoked = ConcurrentHashMap.newKeySet();
    private final List<Set<String>> asked = new CopyOnWriteArrayList<>();
    private Store store;
    private EgressIngest ingest;
    private EgressTail tail;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        ingest = new EgressIngest(store, Clock.systemUTC());
        OpenAnswers open = new OpenAnswers("streams", new OpenAnswers.Most(2, 3), nanos::get);
        tail = new EgressTail(store, ingest, this::live, open);
    }

    @AfterEach
    void close() {
        tail.close();
        store.close();
    }

    private Set<String> live(Set<String> ids) {
        asked.add(ids);
        Set<String> live = new HashSet<>(ids);
        live.removeAll(revoked);
        return live;
    }

    /** Notes what it gets. */
    private static class Notes implements EgressTail.Receiver {

        private final List<String> hosts = new CopyOnWriteArrayList<>();
        private volatile boolean ended;

        @Override
        public int room() {
            return 100;
        }

        @Override
        public void event(String position, EgressEvent event) {
            hosts.add(event.host());
        }

        @Override
        public void alive(String position) {}

        @Override
        public void end() {
            ended = true;
        }
    }

    private static Caller caller(String organization, String key) {
        return new Caller(organization, "usr", key, "127.0.0.1");
    }

    private EgressTail.Follower follower(String organization, String after, Notes notes) {
        return tail.follow(caller(organization, "key_" + organization), ALL, after, notes);
    }

    private EgressTail.Follower follower(String organization) {
        return follower(organization, "", new Notes());
    }

    private void arrive(String organization, Instant at, String... hosts) {
        for (String host : hosts) {
            EgressFacts facts = new EgressFacts(
                    at,
                    null,
                    new EgressFacts.Target(host, null, EgressEvent.Protocol.TLS),
                    new EgressFacts.Outcome(EgressEvent.Verdict.ALLOWED, true, EgressMode.ENFORCE, null),
                    List.of());
            ingest.add(new EgressBatch(
                    "prx_1", "e", List.of(new EgressBatch.Numbered(positions.incrementAndGet(), organization, facts))));
        }
    }

    @Test
    void onesThatNeverBeginLoseTheirPlaces() {
        EgressTail.Follower begun = follower("a");
        assertThat(begun.start()).isTrue();
        EgressTail.Follower prepared = follower("a");
        assertThatThrownBy(() -> follower("a"))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.status()).isEqualTo(409));
        follower("b");
        assertThatThrownBy(() -> follower("c"))
                .isInstanceOfSatisfying(
                        Refusal.class, refusal -> assertThat(refusal.status()).isEqualTo(503));

        nanos.addAndGet(Duration.ofSeconds(10).toNanos());

        follower("a");
        follower("c");
        assertThat(prepared.start()).as("another has its place").isFalse();
        assertThatThrownBy(() -> follower("a"))
                .as("the one that has begun keeps its own")
                .isInstanceOf(Refusal.class);
    }

    @Test
    void oneThatEndedBeforeItBeganDoesNotBegin() {
        for (int i = 0; i < 10; i++) {
            EgressTail.Follower follower = follower("a");
            follower.close();
            assertThat(follower.start()).isFalse();
        }
    }

    @Test
    void oneThatFailsEndsAloneAndTheOthersGoOn() {
        Notes failing = new Notes() {
            @Override
            public void event(String position, EgressEvent event) {
                throw new IllegalStateException("its fault");
            }
        };
        Notes good = new Notes();
        Notes alsoGood = new Notes();
        tail.follow(caller("a", "key_1"), ALL, null, good).start();
        tail.follow(caller("a", "key_2"), ALL, null, failing).start();
        tail.follow(caller("b", "key_3"), ALL, null, alsoGood).start();

        arrive("a", Instant.now(), "one", "two");
        arrive("b", Instant.now(), "three");

        Awaitility.await().untilAsserted(() -> {
            assertThat(good.hosts).containsExactly("one", "two");
            assertThat(alsoGood.hosts).containsExactly("three");
            assertThat(failing.ended).isTrue();
        });
        revoked.add("key_1");
        Awaitility.await().untilAsserted(() -> assertThat(good.ended).isTrue());
        assertThat(alsoGood.ended).isFalse();
    }

    @Test
    void allKeysAreAskedForAtOnce() {
        tail.follow(caller("a", "key_1"), ALL, null, new Notes()).start();
        tail.follow(caller("a", "key_1"), ALL, null, new Notes()).start();
        tail.follow(caller("b", "key_2"), ALL, null, new Notes()).start();

        asked.clear();
        Awaitility.await().until(() -> asked.size() >= 2);

        assertThat(asked.get(1)).containsExactlyInAnyOrder("key_1", "key_2");
    }

    @Test
    void oneThatHasMissedRemovedEventsHasNotResumedAndGetsWhatIsLeft() {
        Instant old = Instant.now().minus(Duration.ofDays(100));
        arrive("a", Instant.now(), "seen");
        String position = positionNow("a");
        arrive("a", old, "removed");
        String after = positionNow("a");
        arrive("a", Instant.now(), "left");
        arrive("b", old, "theirs");

        ingest.prune(Duration.ofDays(90));

        Notes notes = new Notes();
        EgressTail.Follower late = follower("a", position, notes);
        assertThat(late.isResumed()).isFalse();
        assertThat(late.start()).isTrue();
        Awaitility.await().untilAsserted(() -> assertThat(notes.hosts).containsExactly("left"));
        late.close();
        assertThat(follower("a", after, new Notes()).isResumed())
                .as("it has seen what was removed")
                .isTrue();
    }

    private String positionNow(String organization) {
        EgressTail.Follower follower = follower(organization);
        follower.close();
        return follower.position();
    }

    @Test
    void aPositionIsOfOneAccountAndOneNumberingAndTellsNothingOfOthers() {
        String first = positionNow("a");
        arrive("b", Instant.now(), "theirs", "theirs");
        String second = positionNow("a");

        assertThat(first).matches("[A-Za-z0-9_-]{22}").isNotEqualTo(second);
        assertThat(follower("a", first, new Notes()).isResumed()).isTrue();
        assertThat(follower("b", first, new Notes()).isResumed()).isFalse();
        assertThat(follower("a", store.epoch() + ":0", new Notes()).isResumed())
                .as("plain ones would tell, by trying, how many there are")
                .isFalse();
    }

    @Test
    void aPositionOutlivesAStartButNotARestore() {
        String position = positionNow("a");
        tail.close();
        tail = new EgressTail(store, ingest, this::live);
        assertThat(follower("a", position, new Notes()).isResumed()).isTrue();

        tail.close();
        store.beginEpoch();
        tail = new EgressTail(store, ingest, this::live);
        assertThat(follower("a", position, new Notes()).isResumed()).isFalse();
    }
}
