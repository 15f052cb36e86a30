package dev.sallyport.control.proxy;

import dev.sallyport.control.model.Limits;

/** Where a proxy's chain of audit records has got to, as it says. */
public record AuditHeadDraft(
        @Limits(min = 1, max = 4096, description = "Its last checkpoint, a C2SP signed note.")
        String note,

        @Limits(min = 1, max = 512, description = "The public key that has signed it, as NAME+ID+KEY.")
        String key) {}
