package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.SnapshotId;
import dev.sallyport.sandbox.VmId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot as a row.
 *
 * @param sizeBytes null until it is ready; stays whatever becomes of it
 * @param attempts how often what is to be done to it has failed in a row
 * @param failingSince when that began, in milliseconds; null when it has not failed
 * @param isDeleted whether nobody sees it any more
 */
record SnapshotRow(
        Identity identity,
        SnapshotStatus status,
        @Nullable Long sizeBytes,
        int attempts,
        @Nullable Long failingSince,
        boolean isDeleted) {

    static final String TABLE = "snapshot";

    /**
     * What never changes.
     *
     * @param image what the first VM of its line was made from
     * @param source the snapshot that its VM was made from; null when that was the image
     * @param createdAt the time in the identifier, so that this is a position in the list
     */
    record Identity(
            String id,
            String organization,
            String vm,
            String image,
            @Nullable String source,
            @Nullable String label,
            long createdAt) {}

    String id() {
        return identity.id();
    }

    SnapshotId driverId() {
        return new SnapshotId(identity.id());
    }

    VmId vm() {
        return new VmId(identity.vm());
    }

    Snapshot view() {
        boolean ready = status == SnapshotStatus.READY;
        return new Snapshot(
                identity.id(),
                identity.vm(),
                identity.source() == null ? identity.image() : null,
                identity.source(),
                identity.label(),
                status,
                ready ? "snapshots/" + identity.id() : null,
                ready ? sizeBytes : null,
                Instant.ofEpochMilli(identity.createdAt()));
    }

    /** Whether it was ready, and then was not there any more. */
    boolean isLost() {
        return status == SnapshotStatus.FAILED && sizeBytes != null && !isDeleted;
    }

    static SnapshotRow asked(Identity identity) {
        return new SnapshotRow(identity, SnapshotStatus.PENDING, null, 0, null, false);
    }

    static SnapshotRow of(ResultSet row) throws SQLException {
        return new SnapshotRow(
                new Identity(
                        row.getString("id"),
                        row.getString("organization_id"),
                        row.getString("vm_id"),
                        row.getString("image"),
                        row.getString("source_snapshot_id"),
                        row.getString("label"),
                        row.getLong("created_at")),
                SnapshotStatus.valueOf(row.getString("status").toUpperCase(Locale.ROOT)),
                number(row, "size_bytes"),
                row.getInt("attempts"),
                number(row, "failing_since"),
                number(row, "deleted_at") != null);
    }

    private static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : (Long) value;
    }

    /** @param due when something is to be done to it, in milliseconds since the epoch */
    void insert(Handle sql, long due) {
        sql.createUpdate(
                        "insert into snapshot (id, organization_id, vm_id, image, source_snapshot_id, label, status, due_at, attempts, created_at) values (:id, :organization, :vm, :image, :source, :label, :status, :due, 0, :created)")
                .bind("id", identity.id())
                .bind("organization", identity.organization())
                .bind("vm", identity.vm())
                .bind("image", identity.image())
                .bind("source", identity.source())
                .bind("label", identity.label())
                .bind("status", status.text())
                .bind("due", due)
                .bind("created", identity.createdAt())
                .execute();
    }

    static Optional<SnapshotRow> find(Handle handle, String id, String lock) {
        return handle.createQuery("select * from snapshot where id = :id" + lock)
                .bind("id", id)
                .map((row, context) -> of(row))
                .findOne();
    }

    /** Those of which the driver may hold something. */
    static List<SnapshotRow> present(Handle handle) {
        return handle.createQuery("select * from snapshot where gone_at is null order by id")
                .map((row, context) -> of(row))
                .list();
    }

    /** Those to which something is to be done, the longest waiting first. */
    static List<SnapshotRow> due(Handle handle, long now) {
        return handle.createQuery("select * from snapshot where due_at <= :now order by due_at, id")
                .bind("now", now)
                .map((row, context) -> of(row))
                .list();
    }
}
