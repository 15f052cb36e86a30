package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.Json;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.sandbox.VmId;
import dev.sallyport.sandbox.VmLimits;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * A VM as a row.
 *
 * @param version counts what users, and what became of the guest without them, have changed of what is wanted
 * @param lease null when it is destroyed
 * @param hostKeys empty until it is made
 */
record VmRow(
        Identity identity,
        VmState state,
        long version,
        @Nullable Lease lease,
        List<VmHostKeys.Key> hostKeys,
        Instant createdAt,
        Instant updatedAt) {

    VmRow {
        hostKeys = List.copyOf(hostKeys);
    }

    /**
     * What never changes.
     *
     * @param image what it was made from, or the first VM of its line was
     * @param snapshot what it was made from; null when that was the image
     * @param size what it may take of its host; null where an earlier version has not written it down
     */
    record Identity(
            String id,
            String organization,
            String name,
            String publicKey,
            String image,
            @Nullable String snapshot,
            @Nullable VmLimits size) {}

    /**
     * What no other VM has at the same time.
     *
     * @param address an IPv4 address as a number
     */
    record Lease(long address, int sshPort) {}

    String id() {
        return identity.id();
    }

    VmId driverId() {
        return new VmId(identity.id());
    }

    /** What it may take; this much where nobody has written that down. */
    VmLimits size(VmLimits usual) {
        return identity.size() == null ? usual : identity.size();
    }

    Vm view() {
        return new Vm(identity.id(), identity.name(), state.detail().status(), state.detail(), createdAt, updatedAt);
    }

    /** The same after a change, at this time; time may stand still, or go back. */
    VmRow as(VmState next, long now) {
        return new VmRow(
                identity,
                next,
                version,
                lease,
                hostKeys,
                createdAt,
                Instant.ofEpochMilli(Math.max(now, updatedAt.toEpochMilli() + 1)));
    }

    /** The same, with something else wanted of it. */
    VmRow next() {
        return new VmRow(identity, state, version + 1, lease, hostKeys, createdAt, updatedAt);
    }

    VmRow with(List<VmHostKeys.Key> keys) {
        return new VmRow(identity, state, version, lease, keys, createdAt, updatedAt);
    }

    VmRow with(@Nullable Lease other) {
        return new VmRow(identity, state, version, other, hostKeys, createdAt, updatedAt);
    }

    static VmRow of(ResultSet row) throws SQLException {
        long address = row.getLong("address");
        boolean leased = !row.wasNull();
        return new VmRow(
                new Identity(
                        row.getString("id"),
                        row.getString("organization_id"),
                        row.getString("name"),
                        row.getString("public_key"),
                        row.getString("image"),
                        row.getString("snapshot_id"),
                        size(row)),
                new VmState(
                        VmDetail.valueOf(row.getString("status_detail").toUpperCase(Locale.ROOT)),
                        VmState.Wanted.valueOf(row.getString("wanted")),
                        row.getBoolean("must_stop"),
                        row.getBoolean("made"),
                        row.getBoolean("booted"),
                        instant(row, "boot_by")),
                row.getLong("version"),
                leased ? new Lease(address, row.getInt("ssh_port")) : null,
                Arrays.asList(Json.read(row.getString("host_keys"), VmHostKeys.Key[].class)),
                Instant.ofEpochMilli(row.getLong("created_at")),
                Instant.ofEpochMilli(row.getLong("updated_at")));
    }

    private static @Nullable VmLimits size(ResultSet row) throws SQLException {
        long memory = row.getLong("memory_bytes");
        return row.wasNull()
                ? null
                : new VmLimits(memory, row.getInt("cpu_millis"), row.getInt("processes"), row.getLong("disk_bytes"));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? null : Instant.ofEpochMilli(millis);
    }

    void insert(Handle sql) {
        VmLimits size = Objects.requireNonNull(identity.size());
        sql.createUpdate(
                        "insert into vm (id, organization_id, name, name_key, public_key, image, snapshot_id, memory_bytes, cpu_millis, processes, disk_bytes, status, status_detail, wanted, must_stop, made, booted, version, address, ssh_port, host_keys, created_at, updated_at) values (:id, :organization, :name, :key, :publicKey, :image, :snapshot, :memory, :cpu, :processes, :disk, :status, :detail, :wanted, false, false, false, :version, :address, :port, '[]', :created, :updated)")
                .bind("id", identity.id())
                .bind("organization", identity.organization())
                .bind("name", identity.name())
                .bind("key", identity.name().getBytes(StandardCharsets.UTF_8))
                .bind("publicKey", identity.publicKey())
                .bind("image", identity.image())
                .bind("snapshot", identity.snapshot())
                .bind("memory", size.memoryBytes())
                .bind("cpu", size.cpuMillis())
                .bind("processes", size.processes())
                .bind("disk", size.diskBytes())
                .bind("status", state.detail().status().text())
                .bind("detail", state.detail().text())
                .bind("wanted", state.wanted().name())
                .bind("version", version)
                .bind("address", lease == null ? null : (Long) lease.address())
                .bind("port", lease == null ? null : (Integer) lease.sshPort())
                .bind("created", createdAt.toEpochMilli())
                .bind("updated", updatedAt.toEpochMilli())
                .execute();
    }

    /**
     * Writes what may change of it.
     *
     * @param expected the version of the row that it was made from
     * @return whether the row still had that version
     */
    boolean update(Transaction transaction, long expected) {
        Instant deadline = state.bootBy();
        return transaction
                        .sql()
                        .createUpdate(
                                "update vm set status = :status, status_detail = :detail, wanted = :wanted, must_stop = :mustStop, made = :made, booted = :booted, boot_by = :bootBy, version = :version, address = :address, ssh_port = :port, host_keys = :keys, updated_at = :updated, destroyed_at = :destroyed where id = :id and version = :expected")
                        .bind("id", identity.id())
                        .bind("expected", expected)
                        .bind("status", state.detail().status().text())
                        .bind("detail", state.detail().text())
                        .bind("wanted", state.wanted().name())
                        .bind("mustStop", state.mustStop())
                        .bind("made", state.made())
                        .bind("booted", state.booted())
                        .bind("bootBy", deadline == null ? null : (Long) deadline.toEpochMilli())
                        .bind("version", version)
                        .bind("address", lease == null ? null : (Long) lease.address())
                        .bind("port", lease == null ? null : (Integer) lease.sshPort())
                        .bind("keys", Json.text(hostKeys))
                        .bind("updated", updatedAt.toEpochMilli())
                        .bind("destroyed", lease == null ? (Long) updatedAt.toEpochMilli() : null)
                        .execute()
                == 1;
    }

    static Optional<VmRow> find(Handle handle, String id, String lock) {
        return handle.createQuery("select * from vm where id = :id" + lock)
                .bind("id", id)
                .map((row, context) -> of(row))
                .findOne();
    }

    /** Those that are not gone. */
    static List<VmRow> present(Handle handle) {
        return handle.createQuery("select * from vm where destroyed_at is null order by id")
                .map((row, context) -> of(row))
                .list();
    }
}
