package dev.sallyport.control.store;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * How much an organization may keep in a table.
 *
 * @param table has the columns id, organization_id and bytes, and triggers that keep its row of kept_rows
 * @param words what its rows are called
 * @param rows how many of them
 * @param bytes how long they are in all
 */
public record Quota(String table, String words, long rows, long bytes) {

    private static final Kept NOTHING = new Kept(0, 0);

    /** What there is. */
    private record Kept(long rows, long bytes) {}

    /**
     * Refuses with 409 when a row is too much. Of two transactions of one organization, the second waits here for the
     * first.
     *
     * @param added the length of the row
     * @param replaced the identifier of the row whose place it takes, if there is one; may be empty
     */
    public void refuseBeyond(Transaction transaction, Caller caller, long added, String replaced) {
        transaction.lockOrganization(caller.organizationId());
        Kept kept = kept(transaction, caller);
        Long room = replaced.isEmpty() ? null : bytes(transaction, caller, replaced);
        if (room != null) {
            kept = new Kept(kept.rows() - 1, kept.bytes() - room);
        }
        if (kept.rows() >= rows) {
            throw Refusal.quotaExceeded(rows + " " + words + " exist (expected: no more)");
        }
        if (kept.bytes() + added > bytes) {
            throw Refusal.quotaExceeded("more than " + bytes / 1024 + " KiB of " + words + " (expected: no more)");
        }
    }

    /** What triggers count whenever a row comes, changes or goes. */
    private Kept kept(Transaction transaction, Caller caller) {
        Kept kept = Statements.first(
                transaction.sql(),
                "select row_count, bytes from kept_rows where organization_id = ? and table_name = ?",
                row -> new Kept(row.getLong(1), row.getLong(2)),
                caller.organizationId(),
                table);
        return kept == null ? NOTHING : kept;
    }

    /** How long a row is; null when there is none. */
    private @Nullable Long bytes(Transaction transaction, Caller caller, String id) {
        return transaction
                .sql()
                .createQuery("select bytes from " + table + " where organization_id = :organization and id = :id")
                .bind("organization", caller.organizationId())
                .bind("id", id)
                .mapTo(Long.class)
                .findOne()
                .orElse(null);
    }
}
