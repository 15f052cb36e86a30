package dev.sallyport.control.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events, counted by hour. */
class EgressHoursTest {

    private static final Instant HOUR = Instant.parse("2026-01-02T03:00:00Z");
    private static final Caller OWNER = new Caller("org_a", "usr_a", "key_a", "127.0.0.1");
    private static final Caller OTHER = new Caller("org_b", "usr_b", "key_b", "127.0.0.1");
    private static final EgressHours.Filter ALL = new EgressHours.Filter(null, null, null, null, null);

    @TempDir
    Path folder;

    private final Random random = new Random(7);
    private Store store;
    private EgressIngest ingest;
    private EgressHours hours;
    private long position;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        ingest = new EgressIngest(store, Clock.systemUTC());
        hours = new EgressHours(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private EgressBatch.Numbered event(String organization, Instant at, String host, boolean denied, boolean allowed) {
        EgressEvent.Verdict verdict = denied ? EgressEvent.Verdict.DENIED : EgressEvent.Verdict.ALLOWED;
        return new EgressBatch.Numbered(
                ++position,
                organization,
                new EgressFacts(
                        at,
                        null,
                        new EgressFacts.Target(host, null, EgressEvent.Protocol.TLS),
                        new EgressFacts.Outcome(verdict, allowed, EgressMode.ENFORCE, null),
                        List.of()));
    }

    private EgressBatch.Numbered allowed(Instant at, String host) {
        return event("org_a", at, host, false, true);
    }

    private void arrive(EgressBatch.Numbered... events) {
        ingest.add(new EgressBatch("prx_1", "e", List.of(events)));
    }

    private List<EgressHour> all() {
        return hours.list(OWNER, ALL, new PageRequest(10_000, null, false)).rows();
    }

    private static String shown(EgressHour row) {
        return row.hour() + " " + row.host() + " " + row.verdict() + " " + row.allowed() + " " + row.requests();
    }

    @Test
    void requestsAreCountedByHourHostAndResult() {
        arrive(
                allowed(HOUR, "a.test"),
                allowed(HOUR.plus(Duration.ofMinutes(60)).minusMillis(1), "A.test"),
                allowed(HOUR.plus(Duration.ofMinutes(60)), "a.test"),
                event("org_a", HOUR, "a.test", true, true),
                event("org_a", HOUR, "a.test", true, false));
        arrive(allowed(HOUR.plusSeconds(5), "a.test"), event("org_b", HOUR, "a.test", false, true));

        assertThat(all())
                .extracting(EgressHoursTest::shown)
                .containsExactlyInAnyOrder(
                        "2026-01-02T03:00:00Z a.test ALLOWED true 3",
                        "2026-01-02T03:00:00Z a.test DENIED true 1",
                        "2026-01-02T03:00:00Z a.test DENIED false 1",
                        "2026-01-02T04:00:00Z a.test ALLOWED true 1");
        assertThat(hours.list(OTHER, ALL, new PageRequest(10, null, false)).rows())
                .extracting(EgressHoursTest::shown)
                .containsExactly("2026-01-02T03:00:00Z a.test ALLOWED true 1");
    }

    @Test
    void whatComesAgainIsNotCountedAgain() {
        EgressBatch.Numbered one = allowed(HOUR, "a.test");
        EgressBatch.Numbered two = allowed(HOUR, "a.test");
        arrive(one);
        arrive(one, two);
        arrive(one, two);

        assertThat(all()).extracting(EgressHour::requests).containsExactly(2L);
    }

    /** The numberings of a proxy that are known have a bound: of older ones events are taken again, but kept once. */
    @Test
    void norIsWhatIsHereAlthoughItsNumberingWasForgotten() {
        EgressBatch.Numbered event = allowed(Instant.now(), "a.test");
        ingest.add(new EgressBatch("prx_1", "old", List.of(event)));
        store.write(transaction -> transaction.sql().execute("delete from egress_source"));
        ingest.add(new EgressBatch("prx_1", "old", List.of(event)));

        assertThat(all()).extracting(EgressHour::requests).containsExactly(1L);
    }

    @Test
    void theCountsOutliveTheEventsAndGoThemselvesLater() {
        Instant now = Instant.now();
        arrive(
                allowed(now.minus(Duration.ofDays(500)), "ancient"),
                allowed(now.minus(Duration.ofDays(100)), "old"),
                allowed(now, "young"));

        ingest.prune(Duration.ofDays(90));
        hours.prune(Duration.ofDays(400));

        assertThat(all()).extracting(EgressHour::host).containsExactly("old", "young");
    }

    @Test
    void hostsBeyondThoseOfAnHourAreCountedTogether() {
        for (int i = 0; i < EgressHours.MOST + 10; i++) {
            arrive(allowed(HOUR, "h" + i), allowed(HOUR, "h" + i));
        }
        arrive(allowed(HOUR, "h0"), allowed(HOUR, "new"), event("org_a", HOUR, "new", true, false));
        arrive(allowed(HOUR.plus(Duration.ofHours(1)), "new"));
        arrive(event("org_b", HOUR, "new", false, true));

        List<EgressHour> rows = all();
        assertThat(rows).hasSize(EgressHours.MOST + 2 + 1);
        assertThat(rows.stream().filter(row -> row.host() == null).map(EgressHoursTest::shown))
                .containsExactlyInAnyOrder(
                        "2026-01-02T03:00:00Z null ALLOWED true 21", "2026-01-02T03:00:00Z null DENIED false 1");
        assertThat(rows.stream().filter(row -> "h0".equals(row.host())).map(EgressHour::requests))
                .containsExactly(3L);
        assertThat(hours.list(OTHER, ALL, new PageRequest(10, null, false)).rows())
                .extracting(EgressHour::host)
                .containsExactly("new");
    }

    @Test
    void nothingIsLostWhenOneBatchHasMoreHostsThanAnHour() {
        List<EgressBatch.Numbered> events = new ArrayList<>();
        for (int i = 0; i < EgressHours.MOST + 300; i++) {
            events.add(allowed(HOUR, "h" + i));
        }
        ingest.add(new EgressBatch("prx_1", "e", events));

        assertThat(all()).hasSize(EgressHours.MOST + 1);
        assertThat(all().stream().mapToLong(EgressHour::requests).sum()).isEqualTo(EgressHours.MOST + 300L);
    }

    private List<EgressHour> paged(EgressHours.Filter filter, boolean descending, int limit) {
        List<EgressHour> seen = new ArrayList<>();
        PageRequest.@Nullable Position after = null;
        while (true) {
            Page<EgressHour> page = hours.list(OWNER, filter, new PageRequest(limit, after, descending));
            seen.addAll(page.rows());
            if (!page.hasMore()) {
                return seen;
            }
            after = EgressHours.position(page.rows().getLast());
        }
    }

    private static boolean isWithin(EgressHours.Filter filter, EgressHour row) {
        return (filter.host() == null || filter.host().equals(row.host()))
                && (filter.verdict() == null || filter.verdict() == row.verdict())
                && (filter.allowed() == null || filter.allowed() == row.allowed())
                && (filter.since() == null || !row.hour().isBefore(filter.since()))
                && (filter.until() == null || row.hour().isBefore(filter.until()));
    }

    /** With counts in memory as the model. */
    @Test
    void everyCombinationOfFiltersPagesThroughWhatItDescribes() {
        Map<String, Long> model = new TreeMap<>();
        for (int batch = 0; batch < 30; batch++) {
            List<EgressBatch.Numbered> events = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                Instant at = HOUR.plus(Duration.ofMinutes(random.nextInt(600)));
                String host = "h" + random.nextInt(4);
                boolean denied = random.nextBoolean();
                boolean through = random.nextBoolean();
                events.add(event("org_a", at, host, denied, through));
                model.merge(
                        at.truncatedTo(ChronoUnit.HOURS) + " " + host + " " + (denied ? "DENIED" : "ALLOWED") + " "
                                + through,
                        1L,
                        Long::sum);
            }
            ingest.add(new EgressBatch("prx_1", "e", events));
        }
        List<EgressHour> rows = all();
        assertThat(rows).extracting(EgressHour::hour).isSorted();
        assertThat(rows.stream().map(EgressHoursTest::shown))
                .containsExactlyInAnyOrderElementsOf(model.entrySet().stream()
                        .map(row -> row.getKey() + " " + row.getValue())
                        .toList());

        for (int i = 0; i < 100; i++) {
            EgressHours.Filter filter = new EgressHours.Filter(
                    random.nextBoolean() ? "H1" : null,
                    random.nextBoolean() ? EgressEvent.Verdict.DENIED : null,
                    random.nextBoolean() ? random.nextBoolean() : null,
                    random.nextBoolean() ? HOUR.plus(Duration.ofMinutes(random.nextInt(600))) : null,
                    random.nextBoolean() ? HOUR.plus(Duration.ofMinutes(random.nextInt(600))) : null);
            boolean descending = random.nextBoolean();
            List<EgressHour> expected =
                    rows.stream().filter(row -> isWithin(filter, row)).toList();

            assertThat(paged(filter, descending, 1 + random.nextInt(30)))
                    .as(filter + " " + descending)
                    .isEqualTo(descending ? expected.reversed() : expected);
        }
    }
}
