package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import org.jspecify.annotations.Nullable;

/** A snapshot as a client asks for it. */
@ServerOwned({
    "id",
    "source_virtual_machine_id",
    "source_base_image",
    "source_snapshot_id",
    "status",
    "storage_key",
    "size_bytes",
    "created_at"
})
public record SnapshotDraft(
        @Limits(max = 1024, description = "What it is to be remembered by.") @Nullable String label) {}
