package dev.sallyport.control;

import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.store.Store;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The processes that use the database now, and the key with which each seals: a table in which each tells it again and
 * again. This is one of them. Thread-safe; blocks.
 */
final class KeyReplicas {

    /** Longer than one that lives says nothing; see {@link KeyWatch}. */
    static final Duration SILENCE = Duration.ofSeconds(60);

    private static final Duration FORGOTTEN = Duration.ofHours(1);
    private static final Duration LOOK = Duration.ofMillis(200);

    private final Store store;
    private final Duration silence;
    private final String id = Tokens.code();

    /** When this process began to say what the others know of it; null for nothing. */
    private volatile @Nullable Moment heard;

    /** @param silence after which one that says nothing is gone */
    KeyReplicas(Store store, Duration silence) {
        this.store = store;
        this.silence = silence;
    }

    /**
     * A moment by two clocks: the first stands still while the machine sleeps, the second can be set. That of the store is
     * no use: it need not be that of this machine.
     */
    record Moment(long nanos, long millis) {

        static Moment now() {
            return new Moment(System.nanoTime(), System.currentTimeMillis());
        }

        /** Whether this long has passed by either clock. */
        private boolean isPast(Duration age) {
            return System.nanoTime() - nanos > age.toNanos() || System.currentTimeMillis() - millis > age.toMillis();
        }
    }

    /** What one has said last. */
    private record Said(String id, int key, long at) {}

    /** Tells the key with which this process seals; 0 before it is known. */
    void tell(int key) {
        store.write(transaction -> {
            transaction
                    .sql()
                    .createUpdate("delete from encryption_replica where seen_at < :then")
                    .bind("then", transaction.now() - FORGOTTEN.toMillis())
                    .execute();
            return transaction
                    .sql()
                    .createUpdate(
                            "insert into encryption_replica (id, key_id, seen_at) values (:id, :key, :now) on conflict (id) do update set key_id = excluded.key_id, seen_at = excluded.seen_at")
                    .bind("id", id)
                    .bind("key", key)
                    .bind("now", transaction.now())
                    .execute();
        });
    }

    /**
     * Tells the key with which this process seals, which may seal from now on.
     *
     * @param since before it was made sure that it is that one
     */
    void tell(int key, Moment since) {
        tell(key);
        heard = since;
    }

    /** Whether the others cannot have taken this process for gone, nor will for a while; false before it told a key. */
    boolean isHeard() {
        Moment last = heard;
        return last != null && !last.isPast(silence.dividedBy(2));
    }

    /** Tells that this process seals nothing any more. */
    void leave() {
        heard = null;
        store.write(transaction -> transaction
                .sql()
                .createUpdate("delete from encryption_replica where id = :id")
                .bind("id", id)
                .execute());
    }

    /**
     * Waits until all others seal with a key. One that says nothing meanwhile is gone: that is measured here, because
     * clocks of machines differ.
     *
     * @return how many do not after this time
     */
    int without(int key, Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        Map<String, Said> said = new HashMap<>();
        Map<String, Long> since = new HashMap<>();
        while (true) {
            long now = System.nanoTime();
            int without = 0;
            for (Said other : others(key)) {
                if (!other.equals(said.put(other.id(), other))) {
                    since.put(other.id(), now);
                }
                without += now - since.getOrDefault(other.id(), now) < silence.toNanos() ? 1 : 0;
            }
            if (without == 0 || now > end) {
                return without;
            }
            Thread.sleep(LOOK);
        }
    }

    private List<Said> others(int key) {
        return store.read(handle -> handle.createQuery(
                        "select id, key_id, seen_at from encryption_replica where id <> :id and key_id <> :key")
                .bind("id", id)
                .bind("key", key)
                .map((row, context) -> new Said(row.getString(1), (int) row.getLong(2), row.getLong(3)))
                .list());
    }
}
