package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.audit.EgressBatch;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.audit.ObservedEgress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Accounts share the proxy of the control plane's process: what one does takes neither events nor traffic from another. */
@Timeout(60)
class EmbeddedSharesTest {

    private static final long CAPACITY = 1 << 20;
    private static final int SLOTS = 16_384;

    @TempDir
    Path folder;

    private final HoldTaps taps = new HoldTaps(SLOTS);
    private Store store;
    private FaultyIntake database;
    private EmbeddedEvents events;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        database = new FaultyIntake(store);
        events = new EmbeddedEvents(taps, slots -> new EventRoom(CAPACITY, CAPACITY / 8 * 5, CAPACITY / 256));
    }

    private void start() {
        events.start(database, workload -> new EventOwner(workload, null));
    }

    @AfterEach
    void close() {
        database.heal();
        events.end();
        store.close();
    }

    private static MutableAuditRecord record(String organization, String host) {
        return new MutableAuditRecord("x", System.currentTimeMillis())
                .host(host)
                .protocol("http/1.1")
                .workload(organization)
                .action(AuditRecord.Action.ALLOW);
    }

    /** With as much text as an event may have. */
    private static MutableAuditRecord heavy(String organization, String host) {
        MutableAuditRecord record = record(organization, host);
        record.requestTrace("secrets")
                .annotate(
                        "swapped",
                        List.of(Map.of(
                                "secret",
                                "S",
                                "locations",
                                IntStream.range(0, 50)
                                        .mapToObj(i -> "query:" + i + "x".repeat(300))
                                        .toList())));
        return record;
    }

    private void add(AuditRecord... records) throws IOException {
        events.take(List.of(records));
        events.flush();
    }

    private void flood(String organization, int many) throws IOException {
        for (int i = 0; i < many; i++) {
            add(record(organization, organization + i));
        }
    }

    private List<String> stored(String organization) {
        return store.read(
                sql -> sql.createQuery("select host from egress_event where organization_id = :o order by arrival")
                        .bind("o", organization)
                        .mapTo(String.class)
                        .list());
    }

    private static List<String> hosts(String organization, int many) {
        return IntStream.range(0, many).mapToObj(i -> organization + i).collect(Collectors.toList());
    }

    private void refuse(Predicate<EgressBatch.Numbered> these) {
        database.before = batch -> {
            if (batch.events().stream().anyMatch(these)) {
                throw new IllegalStateException("not these");
            }
        };
    }

    private void untilNoneWait() {
        await().until(() -> events.waiting() == 0);
    }

    @Test
    void anOrganizationThatFloodsWhileTheDatabaseIsAwayIsHeldBackAlone() throws Exception {
        database.away = true;
        start();
        flood("a", 1000);

        assertThat(taps.organizations()).containsExactly("a");
        assertThat(taps.ofAll()).isZero();
        assertThat(events.ready()).isTrue();
        add(record("b", "b0"), record("b", "b1"));
        assertThat(taps.organizations()).containsExactly("a");

        database.away = false;
        untilNoneWait();
        await().until(() -> taps.organizations().isEmpty());
        assertThat(stored("a")).containsExactlyElementsOf(hosts("a", 1000));
        assertThat(stored("b")).containsExactly("b0", "b1");
        assertThat(events.lost()).isZero();
    }

    @Test
    void heavyEventsTakeNoMoreThanLightOnes() throws Exception {
        database.away = true;
        start();
        for (int i = 0; i < 60; i++) { // twice the capacity
            add(heavy("a", "a" + i));
        }

        assertThat(taps.organizations()).containsExactly("a");
        assertThat(taps.ofAll()).isZero();
        assertThat(events.cut())
                .as("what came beyond its share has only some replacements")
                .isPositive();
        add(heavy("b", "b0"));
        assertThat(taps.organizations()).containsExactly("a");

        database.away = false;
        untilNoneWait();
        assertThat(stored("a")).hasSize(60);
        assertThat(stored("b")).containsExactly("b0");
        assertThat(replacements("a0")).as("within its share").isEqualTo(50);
        assertThat(replacements("b0")).isEqualTo(50);
        assertThat(replacements("a59")).isBetween(0, 5);
        assertThat(events.counts().cut()).containsOnlyKeys("a");
    }

    /** However long hosts are, and however many requests it had under way when it was held back. */
    @Test
    @Tag("long")
    void whatOneOrganizationHasUnderWayHoldsNoOthersBack() throws Exception {
        events = new EmbeddedEvents(taps);
        database.away = true;
        start();
        String host = "x".repeat(ObservedEgress.LONGEST_HOST);
        MutableAuditRecord one = heavy("a", host);
        while (taps.organizations().isEmpty()) {
            add(one);
        }

        for (int i = 0; i < SLOTS; i++) {
            events.take(List.of(one));
        }

        assertThat(taps.organizations()).containsExactly("a");
        assertThat(taps.ofAll()).isZero();
        for (int i = 0; i < 10; i++) {
            add(heavy("b", "b" + i));
        }
        assertThat(taps.ofAll()).isZero();
        assertThat(events.ready()).isTrue();
    }

    private int replacements(String host) {
        String json = store.read(sql -> sql.createQuery("select replacements from egress_event where host = :host")
                .bind("host", host)
                .mapTo(String.class)
                .one());
        return json.split("\"secret\"", -1).length - 1;
    }

    @Test
    void ordinaryEventsBeyondTheShareAreWhole() throws Exception {
        database.away = true;
        start();
        for (int i = 0; taps.organizations().isEmpty(); i++) {
            add(record("a", "a" + i));
        }
        flood("a", 100);
        MutableAuditRecord record = record("a", "last");
        record.requestTrace("secrets")
                .annotate("swapped", List.of(Map.of("secret", "S", "locations", List.of("header:Authorization"))));
        add(record);

        assertThat(events.cut()).isZero();
        database.away = false;
        untilNoneWait();
        assertThat(replacements("last")).isOne();
    }

    @Test
    void eventsOfAnOrganizationThatTheDatabaseRefusesKeepNoOthersWaiting() throws Exception {
        refuse(event -> event.organization().equals("a"));
        start();
        flood("a", 500);
        for (int i = 0; i < 20; i++) {
            add(record("b", "b" + i));
            String last = "b" + i;
            await().until(() -> stored("b").contains(last));
        }

        assertThat(events.waiting()).as("those of a are being looked through").isPositive();
        database.heal();
        untilNoneWait();
        assertThat(stored("b")).containsExactlyElementsOf(hosts("b", 20));
        assertThat(stored("a").size() + events.lost()).isEqualTo(500);
    }

    @Test
    void whatIsLostIsCountedForItsOrganization() throws Exception {
        refuse(event -> event.facts().target().host().equals("bad"));
        start();
        add(record("a", "a0"), record("a", "bad"), record("a", "a1"), record("b", "b0"));
        untilNoneWait();

        assertThat(stored("a")).containsExactly("a0", "a1");
        assertThat(stored("b")).containsExactly("b0");
        assertThat(events.lost()).isOne();
        assertThat(events.counts().lost()).containsExactly(Map.entry("a", 1L));
    }

    /** However many organizations there are, a few have series of their own. */
    @Test
    void onlySoManyOrganizationsAreCountedByName() {
        EventCounts counts = new EventCounts();
        for (int i = 0; i < 1000; i++) {
            counts.held("o" + i);
            counts.held("o" + i);
        }

        assertThat(counts.holds()).hasSize(EventCounts.NAMED + 1).containsEntry("o0", 2L);
        assertThat(counts.holds().values().stream().mapToLong(n -> n).sum()).isEqualTo(2000);
    }

    /** Many that flood together find less and less; whoever is quiet has room for some events all the same. */
    @Test
    void thereIsRoomForTheQuietBesideManyThatFlood() throws Exception {
        database.away = true;
        start();
        for (int i = 0; i < 10; i++) {
            String organization = "flood" + i;
            for (int n = 0; n < 2000 && !taps.organizations().contains(organization); n++) {
                add(record(organization, "h"));
            }
            assertThat(taps.organizations()).contains(organization);
        }

        for (int i = 0; i < 20; i++) {
            add(record("quiet" + i, "h"), record("quiet" + i, "i"));
            assertThat(taps.organizations()).doesNotContain("quiet" + i);
        }
        assertThat(taps.ofAll()).isZero();
    }

    /** The memory of all together is bounded: only then does the writer of records wait. */
    @Test
    void allTogetherTakeNoMoreThanThereIs() throws Exception {
        database.away = true;
        start();
        List<AuditRecord> many = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            many.add(record("o" + i, "h"));
        }

        assertThatThrownBy(() -> events.take(many)).isInstanceOf(IOException.class);
        assertThat(taps.ofAll()).isOne();
        assertThat(events.ready()).isFalse();
        database.away = false;
        await().ignoreExceptionsInstanceOf(IOException.class).until(() -> {
            events.take(many);
            return true;
        });
        events.flush();
        untilNoneWait();

        assertThat(taps.ofAll()).isZero();
        assertThat(events.ready()).isTrue();
        long rows = store.read(sql -> sql.createQuery("select count(*) from egress_event")
                .mapTo(Long.class)
                .one());
        assertThat(rows).isEqualTo(3000);
    }

    /** Events of many accounts share transactions. */
    @Test
    void manyOrganizationsAreStoredTogether() throws Exception {
        database.away = true;
        start();
        for (int i = 0; i < 500; i++) {
            add(record("o" + i, "h"));
        }
        database.away = false;
        untilNoneWait();

        assertThat(database.tried).hasSize(500);
        assertThat(events.transactions()).as("of one each, alone").isLessThan(250);
    }
}
