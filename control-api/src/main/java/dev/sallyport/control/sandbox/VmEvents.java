package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.Ids;
import dev.sallyport.control.store.Transaction;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Locale;

/** What happened to VMs, as rows: the newest {@value #MOST} of each. */
@Singleton
final class VmEvents {

    static final String TABLE = "vm_event";

    private static final String PREFIX = "vme_";
    private static final int MOST = 1000;
    private static final int LONGEST = 1024;

    private final Ids ids;

    VmEvents(Ids ids) {
        this.ids = ids;
    }

    /** Records what a VM has become. */
    void record(Transaction transaction, VmRow vm, String message) {
        String id = ids.next(PREFIX, transaction.now());
        transaction
                .sql()
                .createUpdate(
                        "insert into vm_event (id, vm_id, organization_id, happened_at, status, status_detail, message) values (:id, :vm, :organization, :at, :status, :detail, :message)")
                .bind("id", id)
                .bind("vm", vm.id())
                .bind("organization", vm.identity().organization())
                .bind("at", Ids.millis(PREFIX, id)) // the same, so that the identifier is a position in the list
                .bind("status", vm.state().detail().status().text())
                .bind("detail", vm.state().detail().text())
                .bind("message", message.length() > LONGEST ? message.substring(0, LONGEST) : message)
                .execute();
        transaction
                .sql()
                .createUpdate(
                        "delete from vm_event where vm_id = :vm and happened_at < (select happened_at from vm_event where vm_id = :vm order by happened_at desc, id desc limit 1 offset :most)")
                .bind("vm", vm.id())
                .bind("most", MOST - 1)
                .execute();
    }

    static VmEvent.Listed event(ResultSet row) throws SQLException {
        return new VmEvent.Listed(
                row.getString("id"),
                new VmEvent(
                        Instant.ofEpochMilli(row.getLong("happened_at")),
                        VmStatus.valueOf(row.getString("status").toUpperCase(Locale.ROOT)),
                        VmDetail.valueOf(row.getString("status_detail").toUpperCase(Locale.ROOT)),
                        row.getString("message")));
    }
}
