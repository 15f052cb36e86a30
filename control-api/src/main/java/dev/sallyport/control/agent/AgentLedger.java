package dev.sallyport.control.agent;

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
        store.onChange(wake);
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

    private void append(Transaction transaction, String id, String text) {
        transaction
                .sql()
                .createUpdate(
                        "insert into agent_log (agent_id, seq, logged_at, bytes, text) select :id, coalesce(max(seq), 0) + 1, :now, :bytes, :text from agent_log where agent_id = :id")
                .bind("id", id)
                .bind("now", transaction.now())
                .bind("bytes", text.getBytes(StandardCharsets.UTF_8).length)
                .bind("text", text)
                .execute();
        transaction
                .sql()
                .createUpdate(
                        "delete from agent_log where agent_id = :id and seq <= (select max(seq) from (select seq, sum(bytes) over (order by seq desc) as kept from agent_log where agent_id = :id) sums where kept > :most)")
                .bind("id", id)
                .bind("most", settings.logBytes())
                .execute();
    }
}
