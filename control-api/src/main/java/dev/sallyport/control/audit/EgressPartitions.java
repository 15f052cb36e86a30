package dev.sallyport.control.audit;

import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Work;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of events on PostgreSQL, which is divided by time, so that old events go with their partition. Together the
 * partitions hold any time: the first one has no beginning, the last one no end, and none lies between two. So an event is
 * kept however late it comes; and if nobody makes partitions any more, the last one grows, and nothing else happens. What
 * locks the whole table is short, and done when nobody has to wait for it.
 */
final class EgressPartitions {

    private static final Logger LOG = LoggerFactory.getLogger(EgressPartitions.class);

    /** A query plans for all that it may touch: so they are few, however long events are kept. */
    private static final int PARTS = 16;

    private static final Duration DAY = Duration.ofDays(1);
    private static final long NONE = Long.MIN_VALUE;
    private static final long ENDLESS = Long.MAX_VALUE;

    /** The end of the name of one that is no part of the table any more. */
    private static final String REMOVED = "_removed";

    private static final String LOCK = "lock table only egress_event in access exclusive mode";
    private static final int ATTEMPTS = 200;
    private static final int LEAST_PAUSE_MILLIS = 50;
    private static final int MOST_PAUSE_MILLIS = 500;

    private static final Pattern BOUNDS = Pattern.compile("FOR VALUES FROM \\((.+)\\) TO \\((.+)\\)");
    private static final Pattern BYTES = Pattern.compile("'\\\\x([0-9a-f]+)'");
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("'egress_event_'uuuuMMdd").withZone(ZoneOffset.UTC);

    private final Store store;

    EgressPartitions(Store store) {
        this.store = store;
    }

    /**
     * A partition.
     *
     * @param from the least time, or {@link #NONE}
     * @param to the time that is no longer in it, or {@link #ENDLESS}
     */
    private record Partition(String name, long from, long to) {

        String values() {
            return values(from, to);
        }

        static String values(long from, long to) {
            return " for values from (" + (from == NONE ? "minvalue" : literal(from)) + ") to ("
                    + (to == ENDLESS ? "maxvalue" : literal(to)) + ")";
        }
    }

    /** The least identifier of a time. */
    private static String literal(long millis) {
        return "'\\x" + HexFormat.of().formatHex(EventIds.first(millis)) + "'::bytea";
    }

    /** The time that a partition takes when events are kept for this long: they may stay for so much longer. */
    static Duration span(Duration age) {
        return Duration.ofDays(Math.max(1, age.toDays() / PARTS));
    }

    /**
     * Makes the next partition a day before it is needed, and removes those of which all events are older than this. Of
     * several processes one does it; what cannot be done now is tried again the next time.
     */
    void keep(long now, Duration age) {
        store.alone("egress_partitions", () -> {
            makeNext(now, span(age));
            removeOld(now - age.toMillis());
            return true;
        });
    }

    private void makeNext(long now, Duration span) {
        Partition last = partitions().getLast();
        if (last.from() != NONE && last.from() > now + DAY.toMillis()) {
            return;
        }
        long newest = Math.max(now, newest(last));
        long end = newest - newest % DAY.toMillis() + 2 * DAY.toMillis();
        end(last, last.from() == NONE ? end : Math.max(end, last.from() + span.toMillis()));
    }

    /** The time of the newest event of a partition: beyond now when the clock of another process is wrong. */
    private long newest(Partition partition) {
        return store.read(handle -> handle.createQuery(
                                "select id from egress_event where id >= :first order by id desc limit 1")
                        .bind("first", EventIds.first(Math.max(0, partition.from())))
                        .mapTo(byte[].class)
                        .findOne())
                .map(EventIds::millis)
                .orElse(0L);
    }

    /**
     * Gives the last partition an end, and makes the one that begins there. That no event is beyond its bounds is said by
     * constraints before, so that nobody waits while the rows are looked at; the one of the end stays.
     */
    private void end(Partition last, long end) {
        Partition ended = new Partition(last.name(), last.from(), end);
        String table = "alter table " + last.name();
        String since = last.from() == NONE ? "true" : "id >= " + literal(last.from());
        boolean said = eventually(
                table + " drop constraint if exists egress_event_since, drop constraint if exists egress_event_until",
                table + " add constraint egress_event_since check (" + since + ") not valid",
                table + " add constraint egress_event_until check (id < " + literal(end) + ") not valid");
        if (!said) {
            return;
        }
        store.write(transaction -> transaction
                .sql()
                .execute(table + " validate constraint egress_event_since, validate constraint egress_event_until"));
        boolean made = eventually(
                LOCK,
                "alter table egress_event detach partition " + ended.name(),
                "alter table egress_event attach partition " + ended.name() + ended.values(),
                table + " drop constraint egress_event_since",
                "create table " + NAME.format(Instant.ofEpochMilli(end)) + " partition of egress_event"
                        + Partition.values(end, ENDLESS));
        if (made) {
            LOG.debug("events from {} on have another partition", Instant.ofEpochMilli(end));
        }
    }

    private void removeOld(long then) {
        removeDetached();
        for (List<Partition> all = partitions(); all.getFirst().to() <= then; all = partitions()) {
            Partition oldest = all.getFirst();
            Partition next = all.get(1);
            markRemoved(oldest.name());
            // The next one has no beginning any more; its constraint says that it has nothing beyond its end.
            if (!eventually(
                    LOCK,
                    "alter table egress_event detach partition " + oldest.name(),
                    "alter table " + oldest.name() + " rename to " + oldest.name() + REMOVED,
                    "alter table egress_event detach partition " + next.name(),
                    "alter table egress_event attach partition " + next.name() + Partition.values(NONE, next.to()))) {
                return;
            }
            removeDetached();
        }
    }

    /** Also those that a process left that ended in between; but none that somebody else has put aside. */
    private void removeDetached() {
        for (String name : detached()) {
            markRemoved(name); // late events have come since
            store.write(transaction -> transaction.sql().execute("drop table " + name));
            LOG.info("the events of {} are removed", name);
        }
    }

    /** Keeps the last number that is removed, for those who follow: they may have missed the event. */
    private void markRemoved(String name) {
        store.write(
                transaction -> transaction
                        .sql()
                        .execute(
                                "insert into egress_pruned (organization_id, arrival) select organization_id, max(arrival) from "
                                        + name
                                        + " group by organization_id order by organization_id on conflict (organization_id) do update set arrival = excluded.arrival where excluded.arrival > egress_pruned.arrival"));
    }

    /** Statements in one transaction, as soon as nobody has what they lock; whether they ran. */
    private boolean eventually(String... statements) {
        Work<Boolean> work = transaction -> {
            for (String statement : statements) {
                transaction.sql().execute(statement);
            }
            return true;
        };
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (store.writeUnlessBusy(work)) {
                return true;
            }
            try {
                Thread.sleep(ThreadLocalRandom.current().nextInt(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        LOG.warn("partitions of events stay as they are, because others use the table; it is tried again");
        return false;
    }

    /** In their order; there is at least one. */
    private List<Partition> partitions() {
        return store.<List<Partition>>readAtOneMoment(EgressPartitions::read).stream()
                .sorted((one, other) -> Long.compare(one.from(), other.from()))
                .toList();
    }

    private static List<Partition> read(Handle handle) {
        handle.execute("set local bytea_output = 'hex'");
        return handle.createQuery(
                        "select c.relname, pg_get_expr(c.relpartbound, c.oid) from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'egress_event'::regclass")
                .map((row, context) -> {
                    Matcher bounds = BOUNDS.matcher(row.getString(2));
                    if (!bounds.matches()) {
                        throw new IllegalStateException("a partition of events " + row.getString(2));
                    }
                    return new Partition(
                            row.getString(1), millis(bounds.group(1), NONE), millis(bounds.group(2), ENDLESS));
                })
                .list();
    }

    private static long millis(String bound, long unbounded) {
        Matcher bytes = BYTES.matcher(bound);
        return bytes.matches() ? EventIds.millis(HexFormat.of().parseHex(bytes.group(1))) : unbounded;
    }

    private List<String> detached() {
        return store.read(handle -> handle.createQuery(
                        "select relname from pg_class where relkind = 'r' and not relispartition and relname ~ '^egress_event_([0-9]{8}|first)"
                                + REMOVED
                                + "$' and relnamespace = (select relnamespace from pg_class where oid = 'egress_event'::regclass)")
                .mapTo(String.class)
                .list());
    }
}
