package dev.sallyport.control.policy;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.JsonSize;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.store.Transaction;
import java.nio.charset.StandardCharsets;

/**
 * How much an organization may keep of a kind of policies: {@value #MOST} of them, with 16 MiB in all. Lists are not
 * paged, and so must fit into an answer. And how many values those of all kinds may have together: the engine reads no
 * pipeline of more than it counts.
 */
record PolicyQuota(PolicyKind kind) {

    private static final int MOST = 1000;
    private static final long BYTES = 16L << 20;

    /** Leaves room for egress rules and stored secrets. */
    private static final long VALUES = 400_000;

    private static final String NODES =
            "4 * length(content) - length(replace(content, ',', '')) - length(replace(content, ':', '')) - length(replace(content, '[', '')) - length(replace(content, '{', ''))";

    /** What there is. */
    private record Kept(long policies, long bytes) {}

    /**
     * Refuses with 409 when a policy is too much. Of two transactions of one organization, the second waits here for the
     * first.
     *
     * @param replaced the identifier of the policy whose place it takes, or empty
     */
    void refuseBeyond(Transaction transaction, Caller caller, String content, String replaced) {
        transaction.lockOrganization(caller.organizationId());
        Kept kept = transaction
                .sql()
                .createQuery(
                        "select count(*), coalesce(sum(octet_length(content)), 0) from policy where organization_id = :organization and kind = :kind and id <> :replaced")
                .bind("organization", caller.organizationId())
                .bind("kind", kind.resource())
                .bind("replaced", replaced)
                .map((row, context) -> new Kept(row.getLong(1), row.getLong(2)))
                .one();
        if (kept.policies() >= MOST) {
            throw Refusal.quotaExceeded(MOST + " policies of this kind exist (expected: no more)");
        }
        if (exceedValues(transaction, caller, replaced, JsonSize.nodes(content))) {
            throw Refusal.quotaExceeded("policies with more than " + VALUES + " values and keys (expected: no more)");
        }
        if (kept.bytes() + content.getBytes(StandardCharsets.UTF_8).length > BYTES) {
            throw Refusal.quotaExceeded("more than 16 MiB of policies of this kind (expected: no more)");
        }
    }

    /**
     * Whether the other policies of all kinds have too many values beside so many; what looks like one in a string counts, too.
     * They are not looked at where their bytes alone are few enough.
     */
    private static boolean exceedValues(Transaction transaction, Caller caller, String replaced, int more) {
        return sum(transaction, caller, replaced, "octet_length(content)") + more > VALUES
                && sum(transaction, caller, replaced, NODES) + more > VALUES;
    }

    private static long sum(Transaction transaction, Caller caller, String replaced, String expression) {
        return transaction
                .sql()
                .createQuery("select coalesce(sum(" + expression
                        + "), 0) from policy where organization_id = :organization and id <> :replaced")
                .bind("organization", caller.organizationId())
                .bind("replaced", replaced)
                .mapTo(Long.class)
                .one();
    }
}
