package dev.sallyport.control.audit;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Millis;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import jakarta.inject.Singleton;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * The requests of an account's workloads, counted by hour, host, verdict, and whether they were let through. An event is
 * counted in the transaction that keeps it, so that each counts once; the counts outlive the events.
 */
@Singleton
public final class EgressHours {

    private static final String PREFIX = "hr_";
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long LAST = (1L << 48) - 1;

    /** Rows of an account in an hour: hosts beyond them, which workloads can make up, are counted together. */
    static final int MOST = 500;

    /** The host of those beyond. */
    private static final String OTHERS = "";

    private final Store store;

    public EgressHours(Store store) {
        this.store = store;
    }

    /**
     * Which counts; null is any.
     *
     * @param host without regard to case
     * @param since inclusive: hours that begin then or later
     * @param until exclusive: hours that begin earlier
     */
    public record Filter(
            @Nullable String host,
            EgressEvent.@Nullable Verdict verdict,
            @Nullable Boolean allowed,
            @Nullable Instant since,
            @Nullable Instant until) {

        public Filter {
            host = host == null ? null : host.toLowerCase(Locale.ROOT);
        }
    }

    /** An identifier begins with the hour, in 48 bits. */
    private static String id(long hour, byte[] rest) {
        byte[] id = ByteBuffer.allocate(16)
                .putLong(hour << 16)
                .position(6)
                .put(rest, 0, 10)
                .array();
        return PREFIX + Ids.base32(id, 2);
    }

    /** What no identifier of an hour is below. */
    private static String first(long millis) {
        return id(Math.clamp(millis, 0, LAST), new byte[10]);
    }

    /** What is counted together. */
    private record Key(String organization, long hour, String host, EgressFacts.Outcome outcome) {

        static Key of(EgressBatch.Numbered event, long millis) {
            EgressFacts facts = event.facts();
            return new Key(
                    event.organization(), millis - millis % HOUR, facts.target().host(), facts.outcome());
        }

        Key others() {
            return new Key(organization, hour, OTHERS, outcome);
        }

        /** The same for the same, so that an identifier finds the row. */
        String id() {
            String text = organization + '\0' + host + '\0' + outcome.verdict() + '\0' + outcome.allowed();
            byte[] hash;
            try {
                hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
            return EgressHours.id(hour, hash);
        }
    }

    /** How many requests are counted together. */
    private record Tally(Key key, long requests) {

        Tally and(Tally other) {
            return new Tally(key, requests + other.requests);
        }
    }

    /** Counts events that are kept for the first time. For the transaction that keeps them. */
    static final class Counter {

        private final SortedMap<String, Tally> tallies = new TreeMap<>();

        /**
         * Adds an event.
         *
         * @param millis when it happened, as it is kept
         */
        void add(EgressBatch.Numbered event, long millis) {
            add(new Tally(Key.of(event, millis), 1));
        }

        private void add(Tally tally) {
            tallies.merge(tally.key().id(), tally, Tally::and);
        }

        /** Writes what was counted; the transaction has the lock of arrivals, so that no other does meanwhile. */
        void write(Handle sql) {
            if (tallies.isEmpty()) {
                return;
            }
            PreparedBatch update =
                    sql.prepareBatch("update egress_hour set requests = requests + :requests where id = :id");
            tallies.forEach((id, tally) ->
                    update.bind("requests", tally.requests()).bind("id", id).add());
            int[] found = update.execute();
            List<Tally> all = List.copyOf(tallies.values());
            List<Tally> missing = new ArrayList<>();
            for (int i = 0; i < found.length; i++) {
                if (found[i] == 0) {
                    missing.add(all.get(i));
                }
            }
            if (!missing.isEmpty()) {
                insert(sql, missing);
            }
        }

        private static void insert(Handle sql, List<Tally> missing) {
            Map<String, Integer> rows = new HashMap<>();
            Counter made = new Counter();
            for (Tally tally : missing) {
                Key key = tally.key();
                int before = rows.computeIfAbsent(key.organization() + key.hour(), any -> rows(sql, key));
                made.add(before < MOST ? tally : new Tally(key.others(), tally.requests()));
                rows.put(key.organization() + key.hour(), before + 1);
            }
            PreparedBatch insert = sql.prepareBatch(
                    "insert into egress_hour (id, organization_id, hour, host, verdict, allowed, requests) values (:id, :organization, :hour, :host, :verdict, :allowed, :requests) on conflict (id) do update set requests = egress_hour.requests + excluded.requests");
            made.tallies.forEach((id, tally) -> insert.bind("id", id)
                    .bind("organization", tally.key().organization())
                    .bind("hour", tally.key().hour())
                    .bind("host", tally.key().host())
                    .bind("verdict", tally.key().outcome().verdict().name())
                    .bind("allowed", tally.key().outcome().allowed())
                    .bind("requests", tally.requests())
                    .add());
            insert.execute();
        }

        private static int rows(Handle sql, Key key) {
            return sql.createQuery(
                            "select count(*) from egress_hour where organization_id = :organization and id > :low and id < :high")
                    .bind("organization", key.organization())
                    .bind("low", first(key.hour()))
                    .bind("high", first(key.hour() + HOUR))
                    .mapTo(Integer.class)
                    .one();
        }
    }

    /** The counts of the caller's account, by identifier, and so by hour. */
    public Page<EgressHour> list(Caller caller, Filter filter, PageRequest page) {
        PageRequest.Position position = page.after();
        String after = position == null ? null : position.id();
        String low = first(filter.since() == null ? 0 : Millis.ceiling(filter.since()));
        String high = first(filter.until() == null ? LAST : Millis.ceiling(filter.until()));
        return store.read(handle -> {
            Query query = handle.createQuery(sql(filter, page))
                    .bind("organization", caller.organizationId())
                    .bind("low", after != null && !page.descending() && after.compareTo(low) > 0 ? after : low)
                    .bind("high", after != null && page.descending() && after.compareTo(high) < 0 ? after : high)
                    .bind("rows", page.limit() + 1);
            if (filter.host() != null) {
                query.bind("host", filter.host());
            }
            if (filter.verdict() != null) {
                query.bind("verdict", filter.verdict().name());
            }
            if (filter.allowed() != null) {
                query.bind("allowed", filter.allowed());
            }
            return Page.of(query.map((row, context) -> read(row)).list(), page.limit());
        });
    }

    /** Of a host there are few rows in an hour: what else is asked for is compared, not looked up. */
    static String sql(Filter filter, PageRequest page) {
        boolean byHost = filter.host() != null;
        return "select * from egress_hour where organization_id = :organization"
                + (byHost ? " and host = :host" : "")
                + (filter.verdict() == null
                        ? ""
                        : byHost ? " and coalesce(verdict, '') = :verdict" : " and verdict = :verdict")
                + (filter.allowed() == null
                        ? ""
                        : byHost ? " and coalesce(allowed, false) = :allowed" : " and allowed = :allowed")
                + " and id > :low and id < :high order by id " + page.direction() + " limit :rows";
    }

    /** The place of a row in the list. */
    @WithoutCaller("it looks at nothing")
    public static PageRequest.Position position(EgressHour row) {
        return new PageRequest.Position(row.hour().toEpochMilli(), row.id());
    }

    private static EgressHour read(ResultSet row) throws SQLException {
        String host = row.getString("host");
        return new EgressHour(
                row.getString("id"),
                Instant.ofEpochMilli(row.getLong("hour")),
                host.equals(OTHERS) ? null : host,
                EgressEvent.Verdict.valueOf(row.getString("verdict")),
                row.getBoolean("allowed"),
                row.getLong("requests"));
    }

    /** Removes counts of hours that are older than this, some at a time. */
    @WithoutCaller("housekeeping")
    public void prune(Duration age) {
        store.deleteInPortions("egress_hour", "id", "hour", age);
    }
}
