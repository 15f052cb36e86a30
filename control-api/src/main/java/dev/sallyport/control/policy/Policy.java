package dev.sallyport.control.policy;

import java.time.Instant;

/**
 * A stored policy.
 *
 * @param version counts its changes, from 1
 */
public record Policy<D extends PolicyDraft>(String id, D draft, long version, Instant createdAt, Instant updatedAt) {

    /** Whether proxies get it. */
    public boolean active() {
        return !Boolean.FALSE.equals(draft.active());
    }
}
