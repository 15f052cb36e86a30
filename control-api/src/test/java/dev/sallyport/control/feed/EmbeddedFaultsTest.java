package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.testsupport.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/spec/decisions.md, section 16, "Audit", for the proxy of the same process: a slow database holds it back, and an event
 * is there exactly once.
 */
@Timeout(60)
class EmbeddedFaultsTest {

    /** Room for 41 events of an organization, of one character, of which 39 hold it back; and for 131 in all. */
    private static final long SMALL = 65_600;

    @TempDir
    Path folder;

    private final HoldTaps taps = new HoldTaps(1_000);
    private Store store;
    private FaultyIntake database;
    private EmbeddedEvents events;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        database = new FaultyIntake(store);
        use(1 << 20);
    }

    private void use(long capacity) {
        events = new EmbeddedEvents(taps, slots -> new EventRoom(capacity, capacity / 8 * 5, capacity / 256));
    }

    private void start() {
        events.start(database, workload -> workload.equals("file") ? null : new EventOwner("org", null));
    }

    @AfterEach
    void close() {
        database.heal();
        events.end();
        store.close();
    }

    private static MutableAuditRecord record(String host) {
        return new MutableAuditRecord("x", System.currentTimeMillis())
                .host(host)
                .protocol("http/1.1")
                .action(AuditRecord.Action.ALLOW);
    }

    private void add(String... hosts) throws IOException {
        for (String host : hosts) {
            events.take(List.of(record(host)));
        }
        events.flush();
    }

    private List<String> stored() {
        return store.read(sql -> sql.createQuery("select host from egress_event order by arrival")
                .mapTo(String.class)
                .list());
    }

    private static String[] hosts(int many) {
        return IntStream.range(0, many).mapToObj(i -> "h" + i).toArray(String[]::new);
    }

    private void untilNoneWait() {
        await().until(() -> events.waiting() == 0);
    }

    @Test
    void eventsAreStoredInTheirOrderButThoseOfNobody() throws Exception {
        start();
        add("a", "b");
        events.take(List.of(record("nobody").workload("file")));
        add("c");
        untilNoneWait();

        assertThat(stored()).containsExactly("a", "b", "c");
        assertThat(events.stored()).isEqualTo(3);
        assertThat(events.lost()).isZero();
        assertThat(events.oldestMillis()).isZero();
    }

    /** A slow database holds back exactly as a full spool does, and the rest of the room is for what is under way. */
    @Test
    void aDatabaseThatIsAwayHoldsTheProxyBackUntilThereIsRoomAndNothingIsLost() throws Exception {
        use(SMALL);
        database.away = true;
        start();
        List<String> added = new ArrayList<>();
        while (events.holds() == 0) {
            added.add(String.valueOf(added.size()));
            add(added.getLast());
            assertThat(added.size()).isLessThan(100);
        }

        assertThat(taps.organizations()).containsExactly("org");
        assertThat(events.holds()).isEqualTo(1);
        add("refusal");
        added.add("refusal");
        assertThat(events.waiting()).isEqualTo(added.size());
        assertThat(events.oldestMillis()).isPositive();

        database.away = false;
        untilNoneWait();
        await().until(() -> taps.organizations().isEmpty());
        assertThat(stored()).containsExactlyElementsOf(added);
    }

    /** When even the rest is used up, the writer of records waits, and goes on where it stopped. */
    @Test
    void whenNothingFitsTheWriterWaitsAndNothingIsThereTwice() throws Exception {
        use(SMALL);
        database.away = true;
        start();
        List<AuditRecord> many = new ArrayList<>();
        for (String host : hosts(200)) {
            many.add(record(host));
        }

        assertThatThrownBy(() -> events.take(many)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> events.take(many)).isInstanceOf(IOException.class);
        database.away = false;
        await().ignoreExceptionsInstanceOf(IOException.class).until(() -> {
            events.take(many);
            return true;
        });
        events.flush();
        untilNoneWait();

        assertThat(stored()).containsExactly(hosts(200));
    }

    /** Long texts take the room that they need in memory. */
    @Test
    void roomIsCountedInBytes() throws Exception {
        use(100_000);
        database.away = true;
        start();
        MutableAuditRecord record = record("a");
        record.requestTrace("secrets")
                .annotate(
                        "swapped",
                        List.of(Map.of(
                                "secret",
                                "S",
                                "locations",
                                IntStream.range(0, 100)
                                        .mapToObj(i -> "query:" + i + "x".repeat(5000))
                                        .toList())));

        events.take(List.of(record));

        assertThat(events.holds()).isOne();
        assertThat(events.waiting()).isOne();
    }

    /** docs/spec/decisions.md, section 16: an event is there exactly once. */
    @Test
    void whatWasCommittedAndNotAnsweredIsThereOnce() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        database.after = batch -> {
            if (calls.getAndIncrement() < 2) {
                throw new IllegalStateException("the connection ended after the commit");
            }
        };
        start();
        add("a", "b", "c");
        untilNoneWait();
        add("d");
        untilNoneWait();

        assertThat(stored()).containsExactly("a", "b", "c", "d");
        assertThat(calls.get()).isGreaterThan(2);
        assertThat(events.lost()).isZero();
    }

    /** One event that the database does not take does not hold up all others, nor takes any with it. */
    @Test
    @Tag("long")
    void anEventThatCannotBeStoredIsLeftOutAlone() throws Exception {
        database.before = batch -> {
            if (batch.events().stream()
                    .anyMatch(event -> event.facts().target().host().equals("h337"))) {
                throw new IllegalStateException("not this one");
            }
        };
        database.away = true;
        start();
        add(hosts(700));
        database.away = false;
        await().atMost(Patience.usual()).until(() -> events.waiting() == 0);

        List<String> others = new ArrayList<>(List.of(hosts(700)));
        others.remove("h337");
        assertThat(stored()).containsExactlyElementsOf(others);
        assertThat(events.lost()).isOne();
        assertThat(database.tried.getLast().events().size())
                .as("portions grow again")
                .isGreaterThan(1);
    }

    /** While nothing can be written, no event is to blame. */
    @Test
    void whileTheDatabaseIsAwayNothingIsLeftOut() throws Exception {
        database.away = true;
        start();
        add("a");
        TimeUnit.MILLISECONDS.sleep(1500);
        assertThat(events.waiting()).isOne();
        database.away = false;
        untilNoneWait();

        assertThat(stored()).containsExactly("a");
        assertThat(events.lost()).isZero();
    }

    @Test
    void anErrorDoesNotEndTheThread() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        database.before = batch -> {
            if (calls.getAndIncrement() < 2) {
                throw new StackOverflowError("a fault");
            }
        };
        start();
        add("a");
        untilNoneWait();

        assertThat(stored()).containsExactly("a");
    }

    @Test
    void aRecordWhoseOwnerCannotBeFoundIsLostAndTheOthersAreNot() throws Exception {
        events.start(database, workload -> {
            if (workload.equals("fault")) {
                throw new IllegalStateException("a fault");
            }
            return new EventOwner("org", null);
        });

        events.take(List.of(record("a"), record("b").workload("fault"), record("c")));
        events.flush();
        untilNoneWait();

        assertThat(stored()).containsExactly("a", "c");
        assertThat(events.lost()).isOne();
    }

    @Test
    void theEndStoresWhatWaits() throws Exception {
        database.before = batch -> {
            try {
                TimeUnit.MILLISECONDS.sleep(300);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        start();
        add(hosts(1500));

        events.end();

        assertThat(events.waiting()).isZero();
        assertThat(stored()).hasSize(1500);
    }

    @Test
    @Tag("long")
    void theEndDoesNotWaitForADatabaseThatIsAwayForEver() throws Exception {
        database.away = true;
        start();
        add("a");
        long begun = System.nanoTime();

        events.end();

        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(9));
        assertThat(events.waiting()).isOne();
    }
}
