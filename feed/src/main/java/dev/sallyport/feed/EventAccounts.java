package dev.sallyport.feed;

import dev.sallyport.core.audit.AuditRecord;
import org.jspecify.annotations.Nullable;

/** Whose events records are. Must not block. */
interface EventAccounts {

    /** All are of the organization of the proxy. */
    EventAccounts OF_THE_PROXY = record -> "";

    /** The account whose workload it was; empty for the organization of the proxy; null where it is nobody's event. */
    @Nullable String of(AuditRecord record);
}
