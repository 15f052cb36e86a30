package dev.sallyport.control.sandbox;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot as its owner sees it.
 *
 * @param sourceBaseImage what its VM was made from, where that was no snapshot
 * @param sourceSnapshotId what its VM was made from, where that was one
 * @param storageKey where it is kept, once it is ready
 * @param sizeBytes how much it adds to its source, once it is ready
 */
public record Snapshot(
        String id,
        String sourceVirtualMachineId,
        @Nullable String sourceBaseImage,
        @Nullable String sourceSnapshotId,
        @Nullable String label,
        SnapshotStatus status,
        @Nullable String storageKey,
        @Nullable Long sizeBytes,
        Instant createdAt) {}
