package dev.sallyport.control.agent;

import dev.sallyport.control.sandbox.Vms;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the {@link AgentKeeper} reads and writes. What became of an agent is written only as long as it is as it was read,
 * and there. Thread-safe; blocks.
 */
@Singleton
final class AgentLedger {

    /** The longest text of a row of the log, in characters. */
    private static final int LONGEST = 16 * 1024;

    private final Store store;
    private final AgentLogs logs;
    private final AgentSettings settings;
    private final Clock clock;

    AgentLedger(Store store, AgentLogs logs, AgentSettings settings, Clock clock) {
        this.store = store;
        this.logs = logs;
        this.settings = settings;
        this.clock = clock;
    }

    /** Runs this whenever somebody may want something. */
    void onChange(Runnable wake) {
        store.onChange(Vms.RECONCILED, wake);
    }

    /** Now, in milliseconds since the epoch. */
    long now() {
        return clock.millis();
    }

    List<AgentRow.Unfinished> unfinished() {
        return store.read(AgentRow::unfinished);
    }

    Optional<AgentRow> find(String id) {
        return store.read(handle -> AgentRow.find(handle, id, ""));
    }

    /**
     * Writes what an agent has become, and what its log says of it.
     *
     * @param next gives the row, of the time in milliseconds since the epoch
     * @param said empty for nothing
     */
    void write(LongFunction<AgentRow> next, String said) {
        write(next, said, null);
    }

    /** The same, with what it has made. */
    void write(LongFunction<AgentRow> next, String said, byte @Nullable [] patch) {
        store.write(transaction -> {
            AgentRow row = next.apply(transaction.now());
            if (row.update(transaction)) {
                split(said).forEach(text -> append(transaction, row.id(), text));
                if (patch != null) {
                    keep(transaction, row.id(), patch);
                }
            }
            return row.id();
        });
        logs.wake();
    }

    private static void keep(Transaction transaction, String id, byte[] patch) {
        transaction
                .sql()
                .createUpdate(
                        "insert into agent_patch (agent_id, patch) values (:id, :patch) on conflict (agent_id) do update set patch = excluded.patch")
                .bind("id", id)
                .bind("patch", patch)
                .execute();
    }

    /** Both databases take any text without NULs. */
    private static List<String> split(String said) {
        String text = said.replace('\0', '\uFFFD');
        List<String> parts = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            int to = Math.min(text.length(), from + LONGEST);
            if (to < text.length() && Character.isHighSurrogate(text.charAt(to - 1))) {
                to--;
            }
            parts.add(text.substring(from, to));
            from = to;
        }
        return parts;
    }

    /** Writes on, and lets go of the oldest parts, so that what is kept is as long as it may be at most. */
    private void append(Transaction transaction, String id, String text) {
        LogEnd end = LogEnd.of(transaction, id);
        long bytes = text.getBytes(StandardCharsets.UTF_8).length;
        transaction
                .sql()
                .createUpdate(
                        "insert into agent_log (agent_id, seq, logged_at, bytes, text, starts) values (:id, :seq, :now, :bytes, :text, :starts)")
                .bind("id", id)
                .bind("seq", end.seq() + 1)
                .bind("now", transaction.now())
                .bind("bytes", bytes)
                .bind("text", text)
                .bind("starts", end.bytes())
                .execute();
        transaction
                .sql()
                .createUpdate("delete from agent_log where agent_id = :id and starts < :oldest")
                .bind("id", id)
                .bind("oldest", end.bytes() + bytes - settings.logBytes())
                .execute();
    }

    /**
     * How far a log is.
     *
     * @param seq of its newest part; 0 for none
     * @param bytes of all that it ever had
     */
    private record LogEnd(long seq, long bytes) {

        static LogEnd of(Transaction transaction, String agent) {
            return transaction
                    .sql()
                    .createQuery(
                            "select seq, starts + bytes as ended from agent_log where agent_id = :id order by seq desc limit 1")
                    .bind("id", agent)
                    .map((row, context) -> new LogEnd(row.getLong("seq"), row.getLong("ended")))
                    .findOne()
                    .orElse(new LogEnd(0, 0));
        }
    }
}
