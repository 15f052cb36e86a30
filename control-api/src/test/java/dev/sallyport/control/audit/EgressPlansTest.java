package dev.sallyport.control.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.TestClock;
import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How databases look for events: neither walks the table, whatever is asked. */
class EgressPlansTest {

    private static final Instant START = Instant.ofEpochMilli(1_760_000_000_000L);

    @TempDir
    Path folder;

    private final Random random = new Random(7);
    private final AnyEvents some = new AnyEvents(random);
    private @Nullable Store sqlite;

    @AfterEach
    void close() {
        if (sqlite != null) {
            sqlite.close();
        }
    }

    /**
     * On SQLite, whose plan says in a line what is walked, and what is sorted: no combination of filters walks the table,
     * and what is sorted are the pages that come from indexes.
     */
    @Test
    @Tag("long")
    void noCombinationOfFiltersScansOrSortsOnSqlite() throws Exception {
        sqlite = Store.open(
                new StoreSettings("jdbc:sqlite:" + folder.resolve("control.db"), null, null), Clock.systemUTC());
        assertThat(steps("select id from egress_event where host = 'h' order by host, id"))
                .as("the test sees a scan")
                .anyMatch(EgressPlansTest::isScan);
        assertThat(sortsEvents(steps("select id from egress_event where facet_host = 1 order by vm_id limit 51")))
                .as("the test sees a sort")
                .isTrue();
        for (EgressFilter filter : combinations()) {
            for (boolean descending : new boolean[] {true, false}) {
                List<Step> plan = steps(literal(selection(filter, null, descending)));
                assertThat(plan).as(filter.toString()).isNotEmpty().noneMatch(EgressPlansTest::isScan);
                assertThat(sortsEvents(plan)).as(filter + ": " + plan).isFalse();
            }
        }
    }

    /** The counts by hour, too: their filters of few values have an index each, and the host has one. */
    @Test
    void noFilterOfTheCountsScansOrSortsOnSqlite() throws Exception {
        sqlite = Store.open(
                new StoreSettings("jdbc:sqlite:" + folder.resolve("control.db"), null, null), Clock.systemUTC());
        for (String host : new @Nullable String[] {"h", null}) {
            for (EgressEvent.Verdict verdict : new EgressEvent.@Nullable Verdict[] {EgressEvent.Verdict.DENIED, null}) {
                for (Boolean allowed : new @Nullable Boolean[] {true, null}) {
                    String sql = EgressHours.sql(
                                    new EgressHours.Filter(host, verdict, allowed, null, null),
                                    new PageRequest(50, null, random.nextBoolean()))
                            .replaceAll(":(organization|host|verdict|allowed|low|high|rows)", "1");
                    List<Step> plan = steps(sql);

                    String index = host != null
                            ? "by_host"
                            : verdict != null && allowed != null
                                    ? "by_result"
                                    : verdict != null ? "by_verdict" : allowed != null ? "by_allowed" : "by_time";
                    assertThat(plan).as(sql).hasSize(1);
                    assertThat(plan.getFirst().toString()).contains("USING INDEX egress_hour_" + index);
                }
            }
        }
    }

    /** PostgreSQL plans by the sizes of tables, so that there have to be some events. */
    @Test
    @Tag("long")
    void noCombinationOfFiltersScansOnPostgres() throws Exception {
        try (Store postgres = Store.open(new StoreSettings(TestDatabase.postgres(), null, null), Clock.systemUTC())) {
            EgressIngest into = new EgressIngest(postgres, Clock.systemUTC());
            for (int first = 0; first < 20_000; first += 1000) {
                List<EgressBatch.Numbered> events = new ArrayList<>();
                for (int i = first; i < first + 1000; i++) {
                    events.add(new EgressBatch.Numbered(
                            i, i % 2 == 0 ? "org_a" : "org_b", some.facts(random.nextInt(100_000))));
                }
                into.add(new EgressBatch("prx_1", "e", events));
            }
            postgres.analyze();
            assertThat(explained(postgres, "select id from egress_event where replacements = 'x'"))
                    .as("the test sees a scan")
                    .contains("Seq Scan on egress_event");

            for (EgressFilter filter : combinations()) {
                for (boolean descending : new boolean[] {true, false}) {
                    assertThat(explained(postgres, literal(selection(filter, null, descending))))
                            .as(filter.toString())
                            .contains("Index")
                            .doesNotContain("Seq Scan on egress_event");
                }
            }
        }
    }

    /** Six partitions of four days: a page looks at those of its times, and in each at the one index of its filter. */
    @Test
    @Tag("long")
    void aPageTouchesNoPartitionAndNoIndexThatItDoesNotNeedOnPostgres() throws Exception {
        TestClock clock = new TestClock();
        try (Store postgres = Store.open(new StoreSettings(TestDatabase.postgres(), null, null), clock)) {
            List<String> parts = parts(postgres, clock);
            assertThat(parts).hasSize(6).doesNotHaveDuplicates();
            Instant last = clock.instant().minus(Duration.ofDays(4));

            for (EgressFilter any : combinations()) {
                EgressFilter filter = new EgressFilter(
                        any.subject(), any.outcome(), last.minus(Duration.ofHours(6)), last.plus(Duration.ofHours(1)));
                EgressAudit.Selection page = selection(filter, null, true);
                String column = page.classes().isEmpty()
                        ? "organization_id"
                        : page.facet().column();
                String plan = explained(postgres, literal(page));
                String part = parts.getLast();
                assertThat(indexes(plan))
                        .as(filter + "\n" + plan)
                        .contains(part + "_" + column + "_id_idx")
                        .isSubsetOf(part + "_" + column + "_id_idx", part + "_organization_id_id_idx", part + "_pkey");
                assertThat(plan)
                        .contains("Nested Loop")
                        .doesNotContain("Hash", "Merge Join", "Seq Scan", "Bitmap", "JIT");
                assertThat(plan.split("Sort Key", -1))
                        .as("sorted are the first of all classes, and the page: " + plan)
                        .hasSizeLessThanOrEqualTo(3);
            }

            EgressFilter all = new EgressFilter(
                    new EgressFilter.Subject(null, null, null),
                    new EgressFilter.Outcome(null, null, null, null, null),
                    null,
                    null);
            assertThat(used(explained(postgres, "(analyze) " + literal(selection(all, null, true)))))
                    .as("the first page, before which are those made ahead")
                    .contains(parts.get(5))
                    .doesNotContainAnyElementsOf(parts.subList(0, 5));
            byte[] deep = EventIds.first(last.minus(Duration.ofDays(12)).toEpochMilli());
            assertThat(used(explained(postgres, "(analyze) " + literal(selection(all, EventIds.text(deep), true)))))
                    .as("a page far behind")
                    .containsExactly(parts.get(2));
        }
    }

    /** Fills some partitions with events, as days go by; their names. */
    private List<String> parts(Store postgres, TestClock clock) {
        EgressIngest into = new EgressIngest(postgres, clock);
        List<String> parts = new ArrayList<>();
        for (int part = 0; part < 6; part++) {
            List<EgressBatch.Numbered> events = new ArrayList<>();
            for (int i = 0; i < 3000; i++) {
                EgressFacts any = some.facts(0);
                Instant at = clock.instant().minusSeconds(random.nextInt(20_000));
                events.add(new EgressBatch.Numbered(
                        part * 3000L + i,
                        "org_a",
                        new EgressFacts(at, any.vmId(), any.target(), any.outcome(), List.of())));
            }
            into.add(new EgressBatch("prx_1", "e", events));
            parts.add(postgres.read(handle -> handle.createQuery(
                            "select cast(cast(tableoid as regclass) as text) from egress_event order by id desc limit 1")
                    .mapTo(String.class)
                    .one()));
            for (int day = 0; day < 4; day++) {
                into.prune(Duration.ofDays(64));
                clock.advance(Duration.ofDays(1));
            }
        }
        postgres.analyze();
        return parts;
    }

    /** The indexes in a plan. */
    private static Set<String> indexes(String plan) {
        return Pattern.compile("(?:using|Index Scan on) (\\S+) ")
                .matcher(plan)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    /** The partitions that were looked at. */
    private static Set<String> used(String plan) {
        return plan.lines()
                .filter(line -> line.contains(" using ") && !line.contains("never executed"))
                .map(line -> line.replaceAll(".* on (\\S+) .*", "$1"))
                .collect(Collectors.toSet());
    }

    private static String explained(Store postgres, String sql) {
        return String.join(
                "\n",
                postgres.<List<String>>readInOrder(handle ->
                        handle.createQuery("explain " + sql).mapTo(String.class).list()));
    }

    private static List<EgressFilter> combinations() {
        EgressFilter.Outcome[] outcomes = {
            new EgressFilter.Outcome(null, null, null, null, null),
            new EgressFilter.Outcome(EgressEvent.Protocol.TLS, null, null, null, null),
            new EgressFilter.Outcome(null, EgressEvent.Verdict.DENIED, null, null, null),
            new EgressFilter.Outcome(null, null, true, null, null),
            new EgressFilter.Outcome(null, null, null, EgressMode.WARN, null),
            new EgressFilter.Outcome(null, null, null, null, EgressEvent.Dial.FAILED),
            new EgressFilter.Outcome(
                    EgressEvent.Protocol.TLS,
                    EgressEvent.Verdict.DENIED,
                    true,
                    EgressMode.WARN,
                    EgressEvent.Dial.CONNECTED)
        };
        List<EgressFilter> combinations = new ArrayList<>();
        for (int bits = 0; bits < 8; bits++) {
            EgressFilter.Subject subject = new EgressFilter.Subject(
                    (bits & 1) == 0 ? null : "vm_1",
                    (bits & 2) == 0 ? null : "h1",
                    (bits & 4) == 0 ? null : "10.0.0.0/8");
            for (EgressFilter.Outcome outcome : outcomes) {
                combinations.add(new EgressFilter(subject, outcome, START, null));
            }
        }
        return combinations;
    }

    private EgressAudit.Selection selection(EgressFilter filter, @Nullable String after, boolean descending) {
        PageRequest.Position position =
                after == null ? null : EgressAudit.position(after).orElseThrow();
        return new EgressAudit.Selection("org_a", filter, new PageRequest(50, position, descending), sqlite == null);
    }

    /** The statement of a list with its values. */
    private static String literal(EgressAudit.Selection selection) {
        EgressFilter filter = selection.filter();
        String sql = EgressAudit.sql(selection);
        List<EgressClass> classes = selection.classes();
        for (int i = classes.size() - 1; i >= 0; i--) {
            Long facet = selection.facet().value("org_a", classes.get(i), filter.subject());
            sql = sql.replace(":facet" + i, String.valueOf(facet));
        }
        EgressRange range = EgressRange.of(filter, selection.page());
        return sql.replace(":rows", "51")
                .replace(":low", literal(selection, range.low()))
                .replace(":high", literal(selection, range.high()))
                .replace(":organization", "'org_a'")
                .replace(":vm", "'vm_1'")
                .replace(":host", "'h1'")
                .replace(":cidr", "'10.0.0.0/8'");
    }

    private static String literal(EgressAudit.Selection selection, byte[] bytes) {
        String hex = HexFormat.of().formatHex(bytes);
        return selection.partitions() ? "cast('\\x" + hex + "' as bytea)" : "x'" + hex + "'";
    }

    /**
     * A step of a plan.
     *
     * @param parent that of which it is a part
     */
    private record Step(int parent, String detail) {}

    private List<Step> steps(String sql) {
        return sqlite.read(handle -> handle.createQuery("explain query plan " + sql)
                .map((row, context) -> new Step(row.getInt("parent"), row.getString("detail")))
                .list());
    }

    private static boolean isScan(Step step) {
        return step.detail().startsWith("SCAN")
                && Arrays.stream(step.detail().split(" "))
                        .anyMatch(word -> word.equals("egress_event") || word.equals("e"));
    }

    /** Whether what an index of events gives is sorted before it is cut to a page. */
    private static boolean sortsEvents(List<Step> plan) {
        return plan.stream()
                .filter(step -> step.detail().startsWith("USE TEMP B-TREE"))
                .anyMatch(sort -> plan.stream()
                        .anyMatch(step ->
                                step.parent() == sort.parent() && step.detail().startsWith("SEARCH egress_event")));
    }
}
