package dev.sallyport.control.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.TestClock;
import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The partitions of the events on PostgreSQL, from day to day. */
class EgressPartitionsTest {

    private static final Duration KEPT = Duration.ofDays(90);
    private static final Caller OWNER = new Caller("org_a", "usr_a", "key_a", "127.0.0.1");
    private static final EgressFilter ALL = new EgressFilter(
            new EgressFilter.Subject(null, null, null),
            new EgressFilter.Outcome(null, null, null, null, null),
            null,
            null);

    private final TestClock clock = new TestClock();
    private final String url = TestDatabase.postgres();
    private Store store;
    private EgressIngest ingest;
    private EgressAudit audit;
    private long position;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(url, null, null), clock);
        ingest = new EgressIngest(store, clock);
        audit = new EgressAudit(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private EgressBatch batch(Instant at, String host) {
        EgressFacts facts = new EgressFacts(
                at,
                null,
                new EgressFacts.Target(host, null, EgressEvent.Protocol.TLS),
                new EgressFacts.Outcome(EgressEvent.Verdict.ALLOWED, true, EgressMode.ENFORCE, null),
                List.of());
        return new EgressBatch("prx_1", "e", List.of(new EgressBatch.Numbered(++position, "org_a", facts)));
    }

    private EgressBatch arrive(Duration age, String host) {
        EgressBatch batch = batch(clock.instant().minus(age), host);
        ingest.add(batch);
        return batch;
    }

    private List<String> hosts() {
        return audit.list(OWNER, ALL, new PageRequest(500, null, false)).rows().stream()
                .map(EgressEvent::host)
                .toList();
    }

    /** The name and the bounds of each, in their order. */
    private List<String> partitions() {
        return store.read(handle -> handle.createQuery(
                        "select c.relname || ' ' || pg_get_expr(c.relpartbound, c.oid) from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'egress_event'::regclass order by c.relname <> 'egress_event_first', c.relname")
                .mapTo(String.class)
                .list());
    }

    /** In which one an event is. */
    private String place(String host) {
        return store.read(
                handle -> handle.createQuery("select tableoid::regclass::text from egress_event where host = :host")
                        .bind("host", host)
                        .mapTo(String.class)
                        .one());
    }

    private List<String> tables() {
        return store.read(handle -> handle.createQuery(
                        "select relname from pg_class where relkind = 'r' and relname like 'egress\\_event\\_%'")
                .mapTo(String.class)
                .list());
    }

    private static String ofDay(Instant time) {
        return "egress_event_" + time.toString().substring(0, 10).replace("-", "");
    }

    @Test
    void theFirstEndsInTheNearFutureAndTheNextIsThereBeforeItIsNeeded() {
        arrive(Duration.ofDays(3), "before");
        ingest.prune(KEPT);
        ingest.prune(KEPT);

        String second = ofDay(clock.instant().plus(Duration.ofDays(2)));
        assertThat(partitions()).hasSize(2);
        assertThat(tables()).containsExactlyInAnyOrder("egress_event_first", second);
        assertThat(place("before")).isEqualTo("egress_event_first");

        clock.advance(Duration.ofDays(2));
        arrive(Duration.ZERO, "after");
        assertThat(place("after")).isEqualTo(second);
        assertThat(hosts()).containsExactly("before", "after");
    }

    @Test
    @Tag("long")
    void overMonthsTheyFollowEachOtherAndOldOnesGo() {
        List<String> expected = new ArrayList<>();
        for (int day = 0; day < 200; day++) {
            arrive(Duration.ZERO, "h" + day);
            ingest.prune(KEPT);
            clock.advance(Duration.ofDays(1));
        }
        ingest.prune(KEPT);

        List<String> hosts = hosts();
        assertThat(hosts)
                .hasSizeBetween(90, 90 + (int) EgressPartitions.span(KEPT).toDays());
        for (int day = 200 - hosts.size(); day < 200; day++) {
            expected.add("h" + day);
        }
        assertThat(hosts).as("no event between two that are kept is missing").isEqualTo(expected);
        List<String> partitions = partitions();
        assertThat(partitions).hasSizeBetween(18, 21);
        assertThat(partitions.getFirst()).contains("FROM (MINVALUE)");
        assertThat(partitions.getLast()).contains("TO (MAXVALUE)");
        for (int i = 1; i < partitions.size(); i++) {
            String end = partitions.get(i - 1).replaceAll(".* TO ", "");
            assertThat(partitions.get(i)).as("nothing lies between two").contains("FROM " + end + " TO");
        }
        assertThat(tables()).as("what is old is gone, not only aside").hasSameSizeAs(partitions);
    }

    @Test
    void anEventIsKeptOnceAlsoAfterItsPartitionHasGone() {
        EgressBatch old = arrive(Duration.ZERO, "old");
        ingest.prune(KEPT);
        clock.advance(Duration.ofDays(100));
        ingest.prune(KEPT);
        EgressBatch late = arrive(Duration.ofDays(80), "late");

        ingest.add(old);
        ingest.add(late);

        assertThat(hosts()).containsExactly("late");
        long pruned = store.read(handle -> EgressIngest.pruned(handle, "org_a"));
        assertThat(pruned).as("followers are told").isEqualTo(1);
    }

    @Test
    void whatComesLaterThanTheOldestPartitionIsKeptAndGoesWithTheNextRound() {
        arrive(Duration.ZERO, "one");
        ingest.prune(KEPT);
        clock.advance(Duration.ofDays(100));
        ingest.prune(KEPT);

        arrive(Duration.ofDays(1000), "ancient");
        assertThat(hosts()).containsExactly("ancient");

        ingest.prune(KEPT);
        assertThat(hosts()).isEmpty();
        assertThat(store.<Long>read(handle -> EgressIngest.pruned(handle, "org_a")))
                .isEqualTo(2);
    }

    @Test
    void whatCameWhileNobodyMadePartitionsIsInTheLastOneWhichThenEnds() {
        ingest.prune(KEPT);
        clock.advance(Duration.ofDays(40));
        arrive(Duration.ZERO, "without");
        String last = place("without");

        ingest.prune(KEPT);

        assertThat(hosts()).containsExactly("without");
        assertThat(place("without")).isEqualTo(last);
        assertThat(partitions()).hasSize(3);
        assertThat(partitions().getLast()).startsWith(ofDay(clock.instant().plus(Duration.ofDays(2))));
    }

    @Test
    void aProcessWhoseClockIsDaysAheadMovesTheEnd() {
        clock.advance(Duration.ofDays(10));
        arrive(Duration.ZERO, "ahead");
        clock.advance(Duration.ofDays(-10));

        ingest.prune(KEPT);

        assertThat(hosts()).containsExactly("ahead");
        assertThat(partitions().getLast()).startsWith(ofDay(clock.instant().plus(Duration.ofDays(12))));
    }

    @Test
    void anotherRetentionMakesOthersFromThenOn() {
        ingest.prune(KEPT);
        clock.advance(Duration.ofDays(2));
        ingest.prune(Duration.ofDays(7));
        clock.advance(Duration.ofDays(1));
        ingest.prune(Duration.ofDays(365));

        assertThat(partitions()).hasSize(4);
        assertThat(partitions().getLast()).startsWith(ofDay(clock.instant().plus(Duration.ofDays(23))));
    }

    @Test
    void whatAProcessLeftThatEndedBetweenTwoStepsIsFinished() throws SQLException {
        arrive(Duration.ZERO, "old");
        ingest.prune(KEPT);
        clock.advance(Duration.ofDays(2));
        arrive(Duration.ZERO, "young");
        execute(
                "alter table egress_event detach partition egress_event_first",
                "alter table egress_event_first rename to egress_event_first_removed",
                "create table egress_event_20010101 (like egress_event)",
                "alter table " + place("young") + " add constraint egress_event_until check (true) not valid");

        ingest.prune(KEPT);

        assertThat(tables())
                .doesNotContain("egress_event_first", "egress_event_first_removed")
                .as("what somebody else has put aside")
                .contains("egress_event_20010101")
                .hasSize(3);
        assertThat(hosts()).containsExactly("young");
        assertThat(store.<Long>read(handle -> EgressIngest.pruned(handle, "org_a")))
                .isEqualTo(1);
    }

    /** A reader has the table for as long as it likes: events come all the same, and the partition goes afterwards. */
    @Test
    void nobodyWaitsBehindTheRemovalOfAPartition() throws Exception {
        arrive(Duration.ZERO, "old");
        ingest.prune(KEPT);
        clock.advance(Duration.ofDays(100));
        try (Connection reader = DriverManager.getConnection(url);
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("select count(*) from egress_event");
            CompletableFuture<Void> pruning = CompletableFuture.runAsync(() -> ingest.prune(KEPT));
            Awaitility.await().until(this::isSomebodyWaiting);
            for (int i = 0; i < 50; i++) {
                arrive(Duration.ZERO, "new" + i);
            }
            assertThat(pruning).isNotDone();
            assertThat(hosts()).contains("old").hasSize(51);

            reader.rollback();
            pruning.join();
            assertThat(hosts()).doesNotContain("old").hasSize(50);
        }
    }

    private boolean isSomebodyWaiting() {
        return store.read(handle -> handle.createQuery(
                        "select exists (select 1 from pg_locks where not granted and mode = 'AccessExclusiveLock')")
                .mapTo(Boolean.class)
                .one());
    }

    /** PostgreSQL says so when it takes a constraint for what it would else look for in all rows. */
    @Test
    void noRowIsLookedAtWhileTheTableIsLocked() throws SQLException {
        ingest.prune(KEPT);
        clock.advance(Duration.ofDays(2));
        ingest.prune(KEPT);
        String name = partitions().get(1).replaceAll(" .*", "");
        String end = partitions().get(1).replaceAll(".* TO ", "");
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("set client_min_messages = debug1");
            statement.execute("alter table egress_event detach partition egress_event_first");
            statement.execute("alter table egress_event detach partition " + name);
            statement.execute(
                    "alter table egress_event attach partition " + name + " for values from (minvalue) to " + end);

            StringBuilder notices = new StringBuilder();
            for (SQLWarning notice = statement.getWarnings(); notice != null; notice = notice.getNextWarning()) {
                notices.append(notice.getMessage()).append('\n');
            }
            assertThat(notices.toString()).contains("implied by existing constraints");
            connection.rollback();
        }
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
