package dev.sallyport.control.audit;

import dev.sallyport.control.model.Json;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * An event as a row.
 *
 * @param arrival its number in the order in which events came
 */
record EgressRow(EgressEvent event, long arrival) {

    static final String INSERT = insert();

    private static String insert() {
        StringBuilder columns = new StringBuilder();
        StringBuilder values = new StringBuilder();
        for (EgressFacet facet : EgressFacet.values()) {
            columns.append(", ").append(facet.column());
            values.append(", :").append(facet.column());
        }
        return "insert into egress_event (id, organization_id, arrival, class, vm_id, host, cidr, replacements"
                + columns
                + ") values (:id, :organization, :arrival, :class, :vm, :host, :cidr, :replacements" + values
                + ") on conflict do nothing";
    }

    /** Adds an event to a batch of {@link #INSERT}. */
    static void add(PreparedBatch rows, byte[] id, EgressBatch.Numbered numbered, long arrival) {
        EgressFacts facts = numbered.facts();
        EgressFacts.Target target = facts.target();
        EgressClass folded = EgressClass.of(facts);
        rows.bind("id", id)
                .bind("organization", numbered.organization())
                .bind("arrival", arrival)
                .bind("class", folded.number())
                .bind("vm", facts.vmId())
                .bind("host", target.host())
                .bind("cidr", target.cidr())
                .bind("replacements", Json.text(facts.replacements()));
        EgressFilter.Subject subject = new EgressFilter.Subject(facts.vmId(), target.host(), target.cidr());
        for (EgressFacet facet : EgressFacet.values()) {
            rows.bind(facet.column(), facet.value(numbered.organization(), folded, subject));
        }
        rows.add();
    }

    static EgressRow of(ResultSet row) throws SQLException {
        byte[] id = row.getBytes("id");
        EgressClass folded = EgressClass.of(row.getInt("class"));
        EgressEvent event = new EgressEvent(
                EventIds.text(id),
                Instant.ofEpochMilli(EventIds.millis(id)),
                row.getString("vm_id"),
                row.getString("host"),
                row.getString("cidr"),
                folded.protocol(),
                folded.outcome().verdict(),
                folded.outcome().allowed(),
                folded.outcome().mode(),
                folded.outcome().dial(),
                Arrays.asList(Json.read(row.getString("replacements"), EgressEvent.Replacement[].class)));
        return new EgressRow(event, row.getLong("arrival"));
    }
}
