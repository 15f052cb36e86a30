package dev.sallyport.control.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events from their arrival to their end. */
class EgressAuditTest {

    private static final Instant START = Instant.ofEpochMilli(1_760_000_000_000L);
    private static final Caller OWNER = new Caller("org_a", "usr_a", "key_a", "127.0.0.1");
    private static final EgressFilter ALL = new EgressFilter(
            new EgressFilter.Subject(null, null, null),
            new EgressFilter.Outcome(null, null, null, null, null),
            null,
            null);

    @TempDir
    Path folder;

    private final Random random = new Random(7);
    private final AnyEvents some = new AnyEvents(random);
    private Store store;
    private EgressIngest ingest;
    private EgressAudit audit;

    @BeforeEach
    void open() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        ingest = new EgressIngest(store, Clock.systemUTC());
        audit = new EgressAudit(store);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static EgressFacts facts(Instant at, String host) {
        return new EgressFacts(
                at,
                null,
                new EgressFacts.Target(host, null, EgressEvent.Protocol.TLS),
                new EgressFacts.Outcome(EgressEvent.Verdict.ALLOWED, true, EgressMode.ENFORCE, null),
                List.of());
    }

    private static EgressBatch batch(String epoch, long first, int count) {
        List<EgressBatch.Numbered> events = new ArrayList<>();
        for (long position = first; position < first + count; position++) {
            events.add(new EgressBatch.Numbered(position, "org_a", facts(START.plusMillis(position), "h" + position)));
        }
        return new EgressBatch("prx_1", epoch, events);
    }

    private List<EgressEvent> all() {
        return audit.list(OWNER, ALL, new PageRequest(500, null, false)).rows();
    }

    @Test
    void anEventIsReadAsItCame() {
        EgressFacts facts = new EgressFacts(
                START,
                "vm_1",
                new EgressFacts.Target("10.1.2.3", "10.0.0.0/8", EgressEvent.Protocol.TCP),
                new EgressFacts.Outcome(EgressEvent.Verdict.DENIED, true, EgressMode.WARN, EgressEvent.Dial.CONNECTED),
                List.of(new EgressEvent.Replacement("github", "header:Authorization")));
        ingest.add(new EgressBatch("prx_1", "e", List.of(new EgressBatch.Numbered(1, "org_a", facts))));

        EgressEvent event = all().getFirst();

        assertThat(event.id()).matches("ee_[0-9a-z]{26}");
        assertThat(event)
                .isEqualTo(new EgressEvent(
                        event.id(),
                        START,
                        "vm_1",
                        "10.1.2.3",
                        "10.0.0.0/8",
                        EgressEvent.Protocol.TCP,
                        EgressEvent.Verdict.DENIED,
                        true,
                        EgressMode.WARN,
                        EgressEvent.Dial.CONNECTED,
                        List.of(new EgressEvent.Replacement("github", "header:Authorization"))));
    }

    @Test
    void nothingIsThereTwiceHoweverOftenItComes() {
        assertThat(ingest.add(batch("e", 1, 5))).isEqualTo(5);
        assertThat(ingest.add(batch("e", 1, 5))).isEqualTo(5);
        assertThat(ingest.add(batch("e", 3, 5))).isEqualTo(7);
        assertThat(ingest.add(batch("e", 2, 1))).isEqualTo(7);

        assertThat(all()).extracting(EgressEvent::host).containsExactly("h1", "h2", "h3", "h4", "h5", "h6", "h7");
    }

    @Test
    void nothingIsThereTwiceAfterPruningEither() {
        ingest.add(batch("e", 1, 2500));
        ingest.prune(Duration.ofDays(1));
        assertThat(all()).isEmpty();

        assertThat(ingest.add(batch("e", 1, 2500))).isEqualTo(2500);
        assertThat(all()).isEmpty();
        assertThat(ingest.add(batch("e", 2500, 2))).isEqualTo(2501);
        assertThat(all()).hasSize(1);
    }

    @Test
    void pruningKeepsWhatIsYoung() {
        Instant now = Instant.now();
        List<EgressBatch.Numbered> events = List.of(
                new EgressBatch.Numbered(1, "org_a", facts(now.minus(Duration.ofDays(96)), "old")),
                new EgressBatch.Numbered(2, "org_a", facts(now.minus(Duration.ofDays(89)), "young")));
        ingest.add(new EgressBatch("prx_1", "e", events));

        ingest.prune(Duration.ofDays(90));

        assertThat(all()).extracting(EgressEvent::host).containsExactly("young");
    }

    @Test
    void anotherEpochCountsFromTheBeginningAndAnOldOneIsNotForgotten() {
        ingest.add(batch("one", 0, 3));
        ingest.add(batch("two", 0, 3));
        ingest.add(batch("one", 0, 3));
        ingest.add(batch("two", 0, 3));

        assertThat(all()).hasSize(6);
    }

    @Test
    void batchesThatComeAtOnceAreKeptOnce() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<Long>> sent = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                int first = 5 * (i / 2);
                sent.add(threads.submit(() -> ingest.add(batch("e" + first, first, 20))));
            }
            for (Future<Long> one : sent) {
                one.get();
            }
        }

        assertThat(all()).hasSize(400);
        List<Long> arrivals = store.read(handle -> handle.createQuery("select arrival from egress_event")
                .mapTo(Long.class)
                .list());
        assertThat(arrivals).doesNotHaveDuplicates();
    }

    @Test
    void anEventFromTheFutureHasTheTimeOfItsArrival() {
        ingest.add(new EgressBatch(
                "prx_1",
                "e",
                List.of(new EgressBatch.Numbered(1, "org_a", facts(Instant.parse("2150-01-01T00:00:00Z"), "h")))));

        assertThat(all().getFirst().timestamp()).isBeforeOrEqualTo(Instant.now());
    }

    @Test
    void positionsOfABatchAscend() {
        EgressFacts facts = facts(START, "h");
        List<EgressBatch.Numbered> twice =
                List.of(new EgressBatch.Numbered(2, "org_a", facts), new EgressBatch.Numbered(2, "org_a", facts));

        assertThatThrownBy(() -> new EgressBatch("prx_1", "e", twice)).isInstanceOf(IllegalArgumentException.class);
    }

    private EgressFilter anyFilter() {
        return new EgressFilter(
                new EgressFilter.Subject(
                        some.oneOf(new String[] {"vm_1", null, null}),
                        some.oneOf(new String[] {"H1", "10.0.0.1", null, null}),
                        some.oneOf(new String[] {"10.0.0.0/8", null, null})),
                new EgressFilter.Outcome(
                        some.oneOf(new EgressEvent.Protocol[] {EgressEvent.Protocol.TLS, null, null}),
                        some.oneOf(new EgressEvent.Verdict[] {EgressEvent.Verdict.DENIED, null}),
                        some.oneOf(new Boolean[] {true, null}),
                        some.oneOf(new EgressMode[] {EgressMode.WARN, null}),
                        some.oneOf(new EgressEvent.Dial[] {EgressEvent.Dial.FAILED, null, null})),
                some.oneOf(new Instant[] {START.plusMillis(20), null}),
                some.oneOf(new Instant[] {START.plusMillis(80), null}));
    }

    private static boolean isWithin(EgressFilter filter, EgressEvent event) {
        return filter.matches(event)
                && (filter.since() == null || !event.timestamp().isBefore(filter.since()))
                && (filter.until() == null || event.timestamp().isBefore(filter.until()));
    }

    /** With a plain filter over all events as the model. */
    @Test
    void everyCombinationOfFiltersPagesThroughWhatItDescribes() {
        List<EgressBatch.Numbered> events = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            String organization = random.nextInt(5) == 0 ? "org_b" : "org_a";
            events.add(new EgressBatch.Numbered(i, organization, some.facts(random.nextInt(100))));
        }
        ingest.add(new EgressBatch("prx_1", "e", events));
        List<EgressEvent> model = all();
        assertThat(model)
                .isSortedAccordingTo(
                        Comparator.comparing(EgressEvent::timestamp).thenComparing(EgressEvent::id));

        for (int i = 0; i < 150; i++) {
            EgressFilter filter = anyFilter();
            boolean descending = random.nextBoolean();
            List<EgressEvent> expected =
                    model.stream().filter(event -> isWithin(filter, event)).toList();

            assertThat(paged(filter, descending, 1 + random.nextInt(30)))
                    .as(filter + " " + descending)
                    .isEqualTo(descending ? expected.reversed() : expected);
        }
    }

    private List<EgressEvent> paged(EgressFilter filter, boolean descending, int limit) {
        List<EgressEvent> seen = new ArrayList<>();
        PageRequest.Position after = null;
        while (true) {
            Page<EgressEvent> page = audit.list(OWNER, filter, new PageRequest(limit, after, descending));
            seen.addAll(page.rows());
            if (!page.hasMore()) {
                return seen;
            }
            after = EgressAudit.position(page.rows().getLast().id()).orElseThrow();
        }
    }

    @Test
    void anIdentifierIsAPositionWhetherItsEventExistsOrNot() {
        ingest.add(batch("e", 0, 10));
        String id = all().get(4).id();
        store.write(transaction -> transaction.sql().execute("delete from egress_event where host = 'h4'"));
        PageRequest.Position after = EgressAudit.position(id).orElseThrow();

        assertThat(audit.list(OWNER, ALL, new PageRequest(2, after, false)).rows())
                .extracting(EgressEvent::host)
                .containsExactly("h5", "h6");
        assertThat(audit.list(OWNER, ALL, new PageRequest(2, after, true)).rows())
                .extracting(EgressEvent::host)
                .containsExactly("h3", "h2");
        assertThat(EgressAudit.position("ee_0000000000000000000000000")).isEmpty();
        assertThat(EgressAudit.position("ee_zzzzzzzzzzzzzzzzzzzzzzzzzz")).isEmpty();
        assertThat(EgressAudit.position("key_00000000000000000000000000")).isEmpty();
    }

    @Test
    void nothingFollowsTheLastIdentifier() {
        ingest.add(batch("e", 0, 3));
        PageRequest.Position last =
                EgressAudit.position("ee_7zzzzzzzzzzzzzzzzzzzzzzzzz").orElseThrow();

        assertThat(audit.list(OWNER, ALL, new PageRequest(10, last, false)).rows())
                .isEmpty();
        assertThat(audit.list(OWNER, ALL, new PageRequest(10, last, true)).rows())
                .hasSize(3);
    }
}
