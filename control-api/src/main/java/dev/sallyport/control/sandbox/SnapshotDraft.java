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
        @Limits(
                max = 256,
                pattern = "[^\\x00-\\x1F\\x7F]*",
                expected = "a text without control characters",
                description = "What it is to be remembered by.")
        @Nullable String label) {}
