package dev.sallyport.control.store;

import dev.sallyport.control.model.Versions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** A running transaction. For the one thread that runs its {@link Work}. */
public final class Transaction {

    private final Handle handle;
    private final Dialect dialect;
    private final long now;
    private final List<Change> changes = new ArrayList<>();

    private record Change(String organization, String kind, String resource) {}

    Transaction(Handle handle, Dialect dialect, long now) {
        this.handle = handle;
        this.dialect = dialect;
        this.now = now;
    }

    /** For statements. */
    public Handle sql() {
        return handle;
    }

    /** When it began, in milliseconds since the epoch. */
    public long now() {
        return now;
    }

    /**
     * The end of a select whose rows this transaction will change: another one that wants them waits, and then sees what
     * this one made of them.
     */
    public String rowLock() {
        return dialect.rowLock();
    }

    /** Waits for other transactions that count what an organization has, and keeps them waiting until the end of this. */
    public void lockOrganization(String id) {
        if (!rowLock().isEmpty()) {
            handle.createQuery("select id from organization where id = :id" + rowLock())
                    .bind("id", id)
                    .mapTo(String.class)
                    .findOne();
        }
    }

    /**
     * Gives what an organization tells its sandboxes another number: it has changed. Waits as {@link #lockOrganization} does,
     * and is called, as that, before a row comes or goes that counts.
     */
    public void environmentChanged(String organization) {
        handle.createUpdate("update organization set environment = :number where id = :id")
                .bind("number", Versions.fresh())
                .bind("id", organization)
                .execute();
    }

    /** Declares that a resource changed; the change gets an order number in this transaction. */
    public void changed(String organization, String kind, String resource) {
        changes.add(new Change(organization, kind, resource));
    }

    /** Of which kinds the resources are that changed. */
    Set<String> kinds() {
        return changes.stream().map(Change::kind).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Gives the changes their numbers, as the last statements: the row of the counter is locked from here to the
     * commit, so that numbers are visible in their order.
     *
     * @return the last number, or 0
     */
    long number() {
        if (changes.isEmpty()) {
            return 0;
        }
        long last = Objects.requireNonNull(Statements.first(
                handle,
                "update change_counter set value = value + ? where id = 1 returning value",
                row -> row.getLong(1),
                changes.size()));
        long position = last - changes.size();
        for (Change change : changes) {
            Statements.update(
                    handle,
                    "insert into change (position, organization_id, kind, resource_id, changed_at) values (?, ?, ?, ?, ?)",
                    ++position,
                    change.organization(),
                    change.kind(),
                    change.resource(),
                    now);
        }
        String notification = dialect.notification();
        if (notification != null) {
            handle.createQuery(notification).bind("position", last).mapToMap().list();
        }
        return last;
    }
}
