package dev.sallyport.control.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
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
                List<Step> plan = steps(literal(filter, descending, "x'00'"));
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
                    assertThat(explained(postgres, literal(filter, descending, "decode('00', 'hex')")))
                            .as(filter.toString())
                            .contains("Index")
                            .doesNotContain("Seq Scan on egress_event");
                }
            }
        }
    }

    private static String explained(Store postgres, String sql) {
        return String.join(
                "\n",
                postgres.<List<String>>read(handle ->
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

    /** The statement of a list with its values, from an identifier of this text to the last one. */
    private static String literal(EgressFilter filter, boolean descending, String low) {
        EgressAudit.Selection selection =
                new EgressAudit.Selection("org_a", filter, new PageRequest(50, null, descending));
        String sql = EgressAudit.sql(selection);
        List<EgressClass> classes = selection.classes();
        for (int i = classes.size() - 1; i >= 0; i--) {
            Long facet = selection.facet().value("org_a", classes.get(i), filter.subject());
            sql = sql.replace(":facet" + i, String.valueOf(facet));
        }
        return sql.replace(":rows", "51")
                .replace(":low", low)
                .replace(":high", low.replace("00", "ff"))
                .replace(":organization", "'org_a'")
                .replace(":vm", "'vm_1'")
                .replace(":host", "'h1'")
                .replace(":cidr", "'10.0.0.0/8'");
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
