package dev.sallyport.control.audit;

import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Work;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Takes the events of proxies, and removes old ones. Each event is kept once, however often it comes: how far a proxy's
 * events are here is written in the transaction that keeps them, and outlives them. Thread-safe; blocks.
 */
@Singleton
public final class EgressIngest implements EgressIntake {

    private static final int PORTION = 250;
    /** Numberings of a proxy whose positions are known: one that it makes anew at each start needs a few. */
    static final int EPOCHS = 100;

    private final Store store;
    private final Clock clock;
    private final EgressPartitions partitions;
    private final List<Runnable> wakes = new CopyOnWriteArrayList<>();

    public EgressIngest(Store store, Clock clock) {
        this.store = store;
        this.clock = clock;
        this.partitions = new EgressPartitions(store);
    }

    /**
     * Keeps those events of a batch that are not here yet.
     *
     * @return the position up to which all events of the proxy are here; it need not send them again
     */
    @WithoutCaller("whoever calls it has authenticated the proxy")
    public long add(EgressBatch batch) {
        long position = store.write(transaction -> add(transaction, batch)).value();
        wakes.forEach(Runnable::run);
        return position;
    }

    @Override
    @WithoutCaller("whoever calls it has authenticated the proxies")
    public void add(List<EgressBatch> batches) {
        store.write(transaction -> {
            batches.forEach(batch -> add(transaction, batch));
            return batches.size();
        });
        wakes.forEach(Runnable::run);
    }

    private static long add(Transaction transaction, EgressBatch batch) {
        long last = last(transaction, batch);
        List<EgressBatch.Numbered> fresh =
                batch.events().stream().filter(event -> event.position() > last).toList();
        long end = batch.last();
        if (end <= last) {
            return last;
        }
        Handle sql = transaction.sql();
        sql.createUpdate(
                        "update egress_source set position = :position, updated_at = :now where proxy_id = :proxy and epoch = :epoch")
                .bind("position", end)
                .bind("now", transaction.now())
                .bind("proxy", batch.proxy())
                .bind("epoch", batch.epoch())
                .execute();
        if (fresh.isEmpty()) {
            return end;
        }
        sql.createUpdate("update egress_arrival set value = value + :n where id = 1")
                .bind("n", fresh.size())
                .execute();
        long arrival = EgressTail.top(sql) - fresh.size();
        PreparedBatch rows = sql.prepareBatch(EgressRow.INSERT);
        for (EgressBatch.Numbered event : fresh) {
            long millis = millis(transaction, event);
            EgressRow.add(rows, EventIds.of(millis, batch, event.position()), event, ++arrival);
        }
        int[] kept = rows.execute();
        EgressHours.Counter counter = new EgressHours.Counter();
        for (int i = 0; i < kept.length; i++) {
            if (kept[i] != 0) { // it was not here
                counter.add(fresh.get(i), millis(transaction, fresh.get(i)));
            }
        }
        counter.write(sql);
        return end;
    }

    /** When an event happened; in the future only by a clock that is wrong: it would outlive all others. */
    private static long millis(Transaction transaction, EgressBatch.Numbered event) {
        return Math.max(0, Math.min(event.facts().at().toEpochMilli(), transaction.now()));
    }

    /** The last position that is here; another transaction of the same proxy waits from here on. */
    private static long last(Transaction transaction, EgressBatch batch) {
        int begun = transaction
                .sql()
                .createUpdate(
                        "insert into egress_source (proxy_id, epoch, position, updated_at) values (:proxy, :epoch, -1, :now) on conflict do nothing")
                .bind("proxy", batch.proxy())
                .bind("epoch", batch.epoch())
                .bind("now", transaction.now())
                .execute();
        if (begun > 0) {
            forgetEpochs(transaction, batch);
        }
        return transaction
                .sql()
                .createQuery("select position from egress_source where proxy_id = :proxy and epoch = :epoch"
                        + transaction.rowLock())
                .bind("proxy", batch.proxy())
                .bind("epoch", batch.epoch())
                .mapTo(Long.class)
                .one();
    }

    /** Of one proxy, the numberings that it used last are known. */
    private static void forgetEpochs(Transaction transaction, EgressBatch batch) {
        transaction
                .sql()
                .createUpdate(
                        "delete from egress_source where proxy_id = :proxy and epoch <> :epoch and epoch not in (select epoch from egress_source where proxy_id = :proxy order by updated_at desc, epoch limit "
                                + EPOCHS + ")")
                .bind("proxy", batch.proxy())
                .bind("epoch", batch.epoch())
                .execute();
    }

    @Override
    @WithoutCaller("it shows nothing")
    public void probe() {
        store.write(transaction -> transaction
                .sql()
                .createUpdate("update egress_arrival set value = value where id = 1")
                .execute());
    }

    /** Runs this after each batch of this process, on its thread. It must be quick, and not throw. */
    @WithoutCaller("it shows nothing")
    public void onArrival(Runnable wake) {
        wakes.add(wake);
    }

    /**
     * Removes events that are older than this, some at a time, so that others need not wait; and the positions of
     * numberings that a proxy has left as long ago. Where the table has partitions, events go with theirs, once all of it
     * is older; only what is older than that by more than a partition takes, because it came late or is from before there
     * were partitions, is removed as elsewhere. Ends early when the thread is interrupted.
     */
    @WithoutCaller("housekeeping")
    public void prune(Duration age) {
        long now = clock.millis();
        long then = now - age.toMillis();
        long longest = then;
        if (store.hasPartitions()) {
            partitions.keep(now, age);
            longest -= EgressPartitions.span(age).toMillis();
        }
        byte[] first = EventIds.first(Math.max(0, longest));
        inPortions(transaction -> pruneEvents(transaction.sql(), first));
        inPortions(transaction -> pruneSources(transaction.sql(), then));
    }

    private void inPortions(Work<Integer> deletion) {
        int deleted = PORTION;
        while (deleted == PORTION && !Thread.currentThread().isInterrupted()) {
            long began = System.nanoTime();
            deleted = store.write(deletion).value();
            LockSupport.parkNanos(System.nanoTime() - began); // others have as much time
        }
    }

    /** An event that was removed. */
    private record Pruned(String organization, long arrival) {}

    /** Keeps the last number that was removed, for those who follow: they may have missed the event. */
    private static int pruneEvents(Handle sql, byte[] first) {
        List<Pruned> pruned = sql.createQuery(
                        "delete from egress_event where id < :first and id in (select id from egress_event where id < :first order by id limit "
                                + PORTION + ") returning organization_id, arrival")
                .bind("first", first)
                .map((row, context) -> new Pruned(row.getString(1), row.getLong(2)))
                .list();
        SortedMap<String, Long> last = new TreeMap<>(); // locks are taken in the same order everywhere
        pruned.forEach(event -> last.merge(event.organization(), event.arrival(), Math::max));
        last.forEach((organization, arrival) -> sql.createUpdate(
                        "insert into egress_pruned (organization_id, arrival) values (:organization, :arrival) on conflict (organization_id) do update set arrival = excluded.arrival where excluded.arrival > egress_pruned.arrival")
                .bind("organization", organization)
                .bind("arrival", arrival)
                .execute());
        return pruned.size();
    }

    /** The number of the last event of an organization that was removed; 0 when none was. */
    static long pruned(Handle handle, String organization) {
        return handle.createQuery("select arrival from egress_pruned where organization_id = :organization")
                .bind("organization", organization)
                .mapTo(Long.class)
                .findOne()
                .orElse(0L);
    }

    private static int pruneSources(Handle sql, long then) {
        return sql.createUpdate(
                        "delete from egress_source where (proxy_id, epoch) in (select old.proxy_id, old.epoch from egress_source old where old.updated_at <= :then and exists (select 1 from egress_source other where other.proxy_id = old.proxy_id and other.updated_at > old.updated_at) limit "
                                + PORTION + ")")
                .bind("then", then)
                .execute();
    }
}
