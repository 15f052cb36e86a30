package dev.sallyport.control.agent;

import dev.sallyport.control.store.Transaction;
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
 * An agent as a row.
 *
 * @param version counts its changes
 */
record AgentRow(
        Identity identity,
        @Nullable String branch,
        AgentStatus status,
        Progress progress,
        long version,
        Instant createdAt,
        Instant updatedAt) {

    static final String TABLE = "agent";

    /** What never changes. */
    record Identity(
            String id,
            String organization,
            String name,
            String repo,
            String harness,
            String prompt,
            @Nullable String arguments,
            String vm) {}

    /**
     * How far it is.
     *
     * @param started whether the task of the stage was started
     * @param offset how much of the task's output has been read, in bytes
     * @param base the commit that was checked out; null before that is known
     * @param deadline when the task that was started last has to have ended; null before there is one
     */
    record Progress(
            AgentStage stage,
            boolean started,
            long offset,
            @Nullable String base,
            @Nullable Instant deadline) {

        static final Progress NONE = new Progress(AgentStage.CLONE, false, 0, null, null);

        Progress begun() {
            return new Progress(stage, true, 0, base, deadline);
        }

        Progress until(Instant end) {
            return new Progress(stage, started, offset, base, end);
        }

        Progress at(long read) {
            return new Progress(stage, started, read, base, deadline);
        }

        Progress from(String commit) {
            return new Progress(stage, started, offset, commit, deadline);
        }

        Progress to(AgentStage next) {
            return new Progress(next, false, 0, base, deadline);
        }
    }

    String id() {
        return identity.id();
    }

    VmId vm() {
        return new VmId(identity.vm());
    }

    Agent view() {
        return new Agent(
                identity.id(),
                identity.name(),
                identity.repo(),
                branch,
                identity.harness(),
                identity.prompt(),
                identity.arguments(),
                status,
                identity.vm(),
                createdAt,
                updatedAt);
    }

    AgentRow with(Progress next) {
        return new AgentRow(identity, branch, status, next, version, createdAt, updatedAt);
    }

    AgentRow as(AgentStatus next, long now) {
        return new AgentRow(identity, branch, next, progress, version, createdAt, later(now));
    }

    AgentRow on(String checkedOut, long now) {
        return new AgentRow(identity, checkedOut, status, progress, version, createdAt, later(now));
    }

    /** Time may stand still, or go back. */
    private Instant later(long now) {
        return Instant.ofEpochMilli(Math.max(now, updatedAt.toEpochMilli() + 1));
    }

    static AgentRow of(ResultSet row) throws SQLException {
        long deadline = row.getLong("deadline_at");
        boolean none = row.wasNull();
        return new AgentRow(
                new Identity(
                        row.getString("id"),
                        row.getString("organization_id"),
                        row.getString("name"),
                        row.getString("repo"),
                        row.getString("harness"),
                        row.getString("prompt"),
                        row.getString("agent_args"),
                        row.getString("vm_id")),
                row.getString("branch"),
                AgentStatus.valueOf(row.getString("status").toUpperCase(Locale.ROOT)),
                new Progress(
                        AgentStage.valueOf(row.getString("stage")),
                        row.getBoolean("started"),
                        row.getLong("log_offset"),
                        row.getString("base"),
                        none ? null : Instant.ofEpochMilli(deadline)),
                row.getLong("version"),
                Instant.ofEpochMilli(row.getLong("created_at")),
                Instant.ofEpochMilli(row.getLong("updated_at")));
    }

    void insert(Handle sql) {
        sql.createUpdate(
                        "insert into agent (id, organization_id, name, repo, branch, harness, prompt, agent_args, status, vm_id, stage, started, log_offset, version, created_at, updated_at) values (:id, :organization, :name, :repo, :branch, :harness, :prompt, :arguments, :status, :vm, :stage, false, 0, :version, :created, :updated)")
                .bind("id", identity.id())
                .bind("organization", identity.organization())
                .bind("name", identity.name())
                .bind("repo", identity.repo())
                .bind("branch", branch)
                .bind("harness", identity.harness())
                .bind("prompt", identity.prompt())
                .bind("arguments", identity.arguments())
                .bind("status", status.text())
                .bind("vm", identity.vm())
                .bind("stage", progress.stage().name())
                .bind("version", version)
                .bind("created", createdAt.toEpochMilli())
                .bind("updated", updatedAt.toEpochMilli())
                .execute();
    }

    /**
     * Writes what may change of it.
     *
     * @return whether it was still there, and as it was read
     */
    boolean update(Transaction transaction) {
        Instant deadline = progress.deadline();
        return transaction
                        .sql()
                        .createUpdate(
                                "update agent set branch = :branch, status = :status, stage = :stage, started = :started, log_offset = :offset, base = :base, deadline_at = :deadline, version = version + 1, updated_at = :updated where id = :id and version = :version")
                        .bind("branch", branch)
                        .bind("status", status.text())
                        .bind("stage", progress.stage().name())
                        .bind("started", progress.started())
                        .bind("offset", progress.offset())
                        .bind("base", progress.base())
                        .bind("deadline", deadline == null ? null : (Long) deadline.toEpochMilli())
                        .bind("updated", updatedAt.toEpochMilli())
                        .bind("id", identity.id())
                        .bind("version", version)
                        .execute()
                == 1;
    }

    static Optional<AgentRow> find(Handle handle, String id, String lock) {
        return handle.createQuery("select * from agent where id = :id" + lock)
                .bind("id", id)
                .map((row, context) -> of(row))
                .findOne();
    }

    /** Those to which something is to be done, with their organizations. */
    static List<Unfinished> unfinished(Handle handle) {
        return handle.createQuery("select id, organization_id from agent where stage <> 'DONE' order by id")
                .map((row, context) -> new Unfinished(row.getString("id"), row.getString("organization_id")))
                .list();
    }

    /** One to which something is to be done. */
    record Unfinished(String id, String organization) {}
}
