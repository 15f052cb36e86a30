package dev.sallyport.control.store;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;

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
        Kept kept = transaction
                .sql()
                .createQuery("select count(*), coalesce(sum(bytes), 0) from " + table
                        + " where organization_id = :organization and id <> :replaced")
                .bind("organization", caller.organizationId())
                .bind("replaced", replaced)
                .map((row, context) -> new Kept(row.getLong(1), row.getLong(2)))
                .one();
        if (kept.rows() >= rows) {
            throw Refusal.quotaExceeded(rows + " " + words + " exist (expected: no more)");
        }
        if (kept.bytes() + added > bytes) {
            throw Refusal.quotaExceeded("more than " + bytes / 1024 + " KiB of " + words + " (expected: no more)");
        }
    }
}
