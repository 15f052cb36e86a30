package dev.sallyport.control.store;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;
import org.jdbi.v3.core.statement.Query;

/**
 * How much an organization may keep in a table.
 *
 * @param table has the columns id, organization_id and bytes
 * @param words what its rows are called
 * @param rows how many of them
 * @param bytes how long they are in all
 */
public record Quota(String table, String words, long rows, long bytes) {

    /** What there is. */
    private record Kept(long rows, long bytes) {}

    /**
     * Refuses with 409 when a row is too much. Of two transactions of one organization, the second waits here for the
     * first.
     *
     * @param added the length of the row
     * @param replaced the identifier of the row whose place it takes, or empty
     */
    public void refuseBeyond(Transaction transaction, Caller caller, long added, String replaced) {
        transaction.lockOrganization(caller.organizationId());
        Kept kept = kept(transaction, caller, "");
        if (!replaced.isEmpty()) {
            Kept before = kept(transaction, caller, replaced);
            kept = new Kept(kept.rows() - before.rows(), kept.bytes() - before.bytes());
        }
        if (kept.rows() >= rows) {
            throw Refusal.quotaExceeded(rows + " " + words + " exist (expected: no more)");
        }
        if (kept.bytes() + added > bytes) {
            throw Refusal.quotaExceeded("more than " + bytes / 1024 + " KiB of " + words + " (expected: no more)");
        }
    }

    /** @param id of one row, or empty for all, which the index of their lengths counts without reading them */
    private Kept kept(Transaction transaction, Caller caller, String id) {
        Query query = transaction
                .sql()
                .createQuery("select count(*), coalesce(sum(bytes), 0) from " + table
                        + " where organization_id = :organization" + (id.isEmpty() ? "" : " and id = :id"))
                .bind("organization", caller.organizationId());
        if (!id.isEmpty()) {
            query.bind("id", id);
        }
        return query.map((row, context) -> new Kept(row.getLong(1), row.getLong(2)))
                .one();
    }
}
