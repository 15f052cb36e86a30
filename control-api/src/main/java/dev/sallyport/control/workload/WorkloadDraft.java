package dev.sallyport.control.workload;

import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;

/** A workload to be made. */
@ServerOwned({"id", "user", "created_at", "applied_revision", "problems"})
public record WorkloadDraft(
        @Limits(
                min = 1,
                max = 64,
                pattern = "[a-z0-9]+(-[a-z0-9]+)*",
                expected = "lower-case letters and digits, in groups joined by single hyphens",
                description = "Unique in the account.")
        String name) {}
