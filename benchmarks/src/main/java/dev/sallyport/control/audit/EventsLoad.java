package dev.sallyport.control.audit;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The lists of events in a large database, while more events come in: {@code URL ROWS [SECONDS [USER]]}, with the password in
 * {@code PGPASSWORD}. A database without events is filled first: as if these days went by, with housekeeping every day;
 * each event beyond a million is a copy of one of these. Then it measures, and prints tables in Markdown, with the plans of what took longest.
 */
public final class EventsLoad {

    /** Of the events. */
    private static final Duration KEPT = Duration.ofDays(90);

    /** Beyond them, it would take long. */
    private static final long BASE = 1_000_000;

    private static final int BATCH = 500;
    private static final int BATCHES = 20;
    private static final int LIMIT = 50;
    private static final int A_SECOND = 1000;
    private static final int TURNS_A_SECOND = 10;

    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private final AtomicLong behind = new AtomicLong();
    private final Store store;
    private final EgressIngest ingest;
    private final EgressAudit audit;
    private final SomeEvents events = new SomeEvents();
    private volatile boolean over;

    /** The time of this machine, or one before it. */
    private final class Days extends Clock {

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(System.currentTimeMillis() - behind.get());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }
    }

    private EventsLoad(StoreSettings settings) throws Exception {
        Clock clock = new Days();
        store = Store.open(settings, clock);
        ingest = new EgressIngest(store, clock);
        audit = new EgressAudit(store);
    }

    /** See above. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 2) {
            System.err.println("which database, and how many rows? (expected: URL ROWS [SECONDS [USER]])");
            System.exit(2);
        }
        String user = arguments.length > 3 ? arguments[3] : null;
        StoreSettings settings =
                new StoreSettings(arguments[0], user, user == null ? null : System.getenv("PGPASSWORD"));
        EventsLoad load = new EventsLoad(settings);
        try (Store closing = load.store) {
            long there = load.count();
            if (there == 0) {
                load.fill(Long.parseLong(arguments[1]));
            }
            closing.analyze();
            load.measure(arguments.length > 2 ? Integer.parseInt(arguments[2]) : 60);
        }
    }

    private long count() {
        return store.read(handle -> handle.createQuery("select value from egress_arrival where id = 1")
                .mapTo(Long.class)
                .one());
    }

    /** Ninety days of events, which come one by one up to a million; each stands for others at the same times beyond that. */
    private void fill(long rows) {
        long base = Math.min(rows, BASE);
        long began = System.nanoTime();
        long now = System.currentTimeMillis();
        long span = Math.max(1000, KEPT.toMillis() * BATCH * BATCHES / base);
        long day = -1;
        for (long written = 0; written < base; written += BATCH * BATCHES) {
            long at = now - KEPT.toMillis() + (long) (KEPT.toMillis() * (double) written / base);
            behind.set(now - at);
            if (at / Duration.ofDays(1).toMillis() != day) {
                day = at / Duration.ofDays(1).toMillis();
                ingest.prune(KEPT);
            }
            List<EgressBatch> batches = new ArrayList<>();
            for (int proxy = 0; proxy < BATCHES; proxy++) {
                batches.add(events.batch(proxy, BATCH, at - span, span));
            }
            ingest.add(batches);
        }
        behind.set(0);
        ingest.prune(KEPT);
        OUT.printf("%,.0f events a second came%n", base * 1e9 / (System.nanoTime() - began));
        for (long copy = 1; copy < rows / base; copy++) {
            copy(base, copy);
        }
    }

    /** The same events once more, with identifiers of their own. */
    private void copy(long base, long number) {
        String id = store.hasPartitions()
                ? "overlay(id placing substring(decode(md5(encode(id, 'hex') || '" + number
                        + "'), 'hex') from 1 for 8) from 9 for 8)"
                : "cast(substr(id, 1, 8) || randomblob(8) as blob)";
        String facets =
                Arrays.stream(EgressFacet.values()).map(EgressFacet::column).collect(Collectors.joining(", "));
        String others = ", class, vm_id, host, cidr, replacements, " + facets;
        store.write(transaction -> {
            Handle sql = transaction.sql();
            sql.execute("insert into egress_event (id, organization_id, arrival" + others + ") select " + id
                    + ", organization_id, arrival + " + base * number + others + " from egress_event where arrival <= "
                    + base + " order by id");
            return sql.execute("update egress_arrival set value = value + " + base + " where id = 1");
        });
        OUT.printf("%,d events%n", count());
    }

    /** What took how long, in nanoseconds. */
    private static final class Times {

        private final List<Long> all = new ArrayList<>();

        synchronized void add(long nanos) {
            all.add(nanos);
        }

        synchronized String row() {
            long[] sorted = sorted();
            if (sorted.length == 0) {
                return "| | | | 0 |";
            }
            return String.format(
                    "| %.1f | %.1f | %.1f | %,d |",
                    sorted[sorted.length / 2] / 1e6,
                    longOf(sorted) / 1e6,
                    sorted[sorted.length - 1] / 1e6,
                    sorted.length);
        }

        private long[] sorted() {
            return all.stream().mapToLong(Long::longValue).sorted().toArray();
        }

        private static long longOf(long[] sorted) {
            return sorted[Math.min(sorted.length - 1, (int) Math.ceil(sorted.length * 0.99) - 1)];
        }

        /** The 99th percentile. */
        synchronized long most() {
            return longOf(sorted());
        }

        synchronized int count() {
            return all.size();
        }

        synchronized long median() {
            return sorted()[all.size() / 2];
        }
    }

    private void measure(int seconds) throws InterruptedException {
        Map<String, Times> kinds = new TreeMap<>();
        Map<String, Times> slow = new TreeMap<>();
        Times arrivals = new Times();
        Thread writer = Thread.ofPlatform().start(() -> arrive(arrivals));
        List<Question> questions = new Questions(events).all();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        int rounds = 0;
        while (System.nanoTime() < end || rounds == 0) {
            for (Question question : questions) {
                ask(question, kinds, slow);
            }
            rounds++;
        }
        over = true;
        writer.join();
        print(kinds, arrivals);
        printEach(slow);
        remove();
        slow.entrySet().stream()
                .sorted((one, other) ->
                        Long.compare(other.getValue().median(), one.getValue().median()))
                .limit(2)
                .forEach(entry -> {
                    OUT.println("in ms, and of how many, as above: "
                            + entry.getValue().row());
                    explain(entry.getKey(), questions);
                });
    }

    private void ask(Question question, Map<String, Times> kinds, Map<String, Times> slow) {
        String after = null;
        if (question.deep()) {
            after = EventIds.text(
                    EventIds.first(System.currentTimeMillis() - events.random().nextLong(KEPT.toMillis() * 9 / 10)));
        }
        long began = System.nanoTime();
        Page<EgressEvent> page = audit.list(caller(question), question.filter(), request(question, after));
        long took = System.nanoTime() - began;
        String kind = question.kind() + (page.rows().isEmpty() ? ", nothing found" : "");
        kinds.computeIfAbsent(kind, any -> new Times()).add(took);
        slow.computeIfAbsent(question.toString(), any -> new Times()).add(took);
    }

    private static Caller caller(Question question) {
        return new Caller(question.organization(), "usr_1", "key_1", "127.0.0.1");
    }

    private static PageRequest request(Question question, @Nullable String after) {
        PageRequest.Position position =
                after == null ? null : EgressAudit.position(after).orElseThrow();
        return new PageRequest(LIMIT, position, question.descending());
    }

    /** A thousand events a second, of two proxies. */
    private void arrive(Times times) {
        long next = System.nanoTime();
        while (!over) {
            next += TimeUnit.SECONDS.toNanos(1) / TURNS_A_SECOND;
            List<EgressBatch> batches = new ArrayList<>();
            for (int proxy = 0; proxy < 2; proxy++) {
                batches.add(events.batch(proxy, A_SECOND / TURNS_A_SECOND / 2, System.currentTimeMillis() - 100, 100));
            }
            long began = System.nanoTime();
            ingest.add(batches);
            times.add(System.nanoTime() - began);
            LockSupport.parkNanos(next - System.nanoTime());
        }
    }

    private void print(Map<String, Times> kinds, Times arrivals) {
        OUT.printf("%n%,d events have come%n%n", count());
        OUT.println("| ms | p50 | p99 | longest | of |");
        OUT.println("|---|---|---|---|---|");
        kinds.forEach((kind, times) -> OUT.println("| " + kind + " " + times.row()));
        OUT.println("| 100 events written, ten times a second " + arrivals.row());
    }

    /** What each question alone has as its 99th percentile, of as many as there were rounds. */
    private static void printEach(Map<String, Times> slow) {
        long[] most = slow.values().stream().mapToLong(Times::most).sorted().toArray();
        long limit = TimeUnit.MILLISECONDS.toNanos(100);
        OUT.printf(
                "%np99 of each of %,d questions alone: median %.1f ms, most %.1f ms, %,d of them over 100 ms; each was asked %,d times%n",
                most.length,
                most[most.length / 2] / 1e6,
                most[most.length - 1] / 1e6,
                Arrays.stream(most).filter(each -> each > limit).count(),
                slow.values().stream().mapToInt(Times::count).min().orElse(0));
        slow.forEach((question, times) -> {
            if (times.most() > limit) {
                OUT.println(question + " " + times.row());
            }
        });
    }

    /** Removes the oldest day while events come in, as housekeeping does; or with it the oldest partition. */
    private void remove() throws InterruptedException {
        Duration removed = Duration.ofDays(store.hasPartitions() ? 6 : 1);
        Times meanwhile = new Times();
        over = false;
        Thread writer = Thread.ofPlatform().start(() -> arrive(meanwhile));
        long before = rows();
        long began = System.nanoTime();
        ingest.prune(Duration.between(oldest().plus(removed), Instant.now()));
        double took = (System.nanoTime() - began) / 1e9;
        over = true;
        writer.join();
        OUT.println("| the same while old ones are removed " + meanwhile.row());
        OUT.printf("%n%,d events were removed in %.1f s%n%n", before - rows() + 100L * meanwhile.count(), took);
    }

    private long rows() {
        return store.read(handle -> handle.createQuery("select count(*) from egress_event")
                .mapTo(Long.class)
                .one());
    }

    private Instant oldest() {
        return Instant.ofEpochMilli(EventIds.millis(
                store.read(handle -> handle.createQuery("select id from egress_event order by id limit 1")
                        .mapTo(byte[].class)
                        .one())));
    }

    private void explain(String text, List<Question> questions) {
        Question question = questions.stream()
                .filter(any -> any.toString().equals(text))
                .findFirst()
                .orElseThrow();
        EgressAudit.Selection selection = new EgressAudit.Selection(
                question.organization(), question.filter(), request(question, null), store.hasPartitions());
        String explain = store.hasPartitions() ? "explain (analyze, buffers) " : "explain query plan ";
        OUT.println(text);
        List<String> plan = store.readInOrder(
                handle -> EgressAudit.bind(handle.createQuery(explain + EgressAudit.sql(selection)), selection)
                        .map((row, context) -> row.getString(store.hasPartitions() ? 1 : 4))
                        .list());
        plan.forEach(OUT::println);
        OUT.println();
    }
}
