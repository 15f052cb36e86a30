package dev.sallyport.control.audit;

import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** The requests of an account's workloads, as its proxies saw them. */
@Singleton
public final class EgressAudit {

    private final Store store;

    public EgressAudit(Store store) {
        this.store = store;
    }

    /** The position after an event of this identifier, whether it exists or not; empty when it is none. */
    @WithoutCaller("it looks at nothing")
    public static Optional<PageRequest.Position> position(String id) {
        return EventIds.parse(id) == null
                ? Optional.empty()
                : Optional.of(new PageRequest.Position(Ids.millis(EventIds.PREFIX, id), id));
    }

    /** The events of the caller's account, by timestamp and identifier. */
    public Page<EgressEvent> list(Caller caller, EgressFilter filter, PageRequest page) {
        EgressRange range = EgressRange.of(filter, page);
        if (range.isEmpty()) {
            return new Page<>(List.of(), false);
        }
        return store.read(handle -> {
            Query query = query(handle, new Selection(caller.organizationId(), filter, page));
            query.bind("low", range.low()).bind("high", range.high());
            return Page.of(
                    query.map((row, context) -> EgressRow.of(row).event()).list(), page.limit());
        });
    }

    /** What is asked for. */
    record Selection(String organization, EgressFilter filter, PageRequest page) {

        /** Those of the filter, unless it lets all through and names nothing. */
        List<EgressClass> classes() {
            boolean all = filter.outcome().isAny() && facet() == EgressFacet.CLASS;
            return all ? List.of() : EgressClass.matching(filter.outcome());
        }

        EgressFacet facet() {
            return EgressFacet.of(filter.subject());
        }
    }

    /**
     * Of each class, an index gives the first identifiers, of which the first are taken. What they stand for is compared
     * with the filter again.
     */
    static String sql(Selection selection) {
        String direction = selection.page().direction();
        int classes = selection.classes().size();
        String column = selection.facet().column();
        String first = classes == 0
                ? part("organization_id = :organization", direction)
                : IntStream.range(0, classes)
                        .mapToObj(i -> "select id from (" + part(column + " = :facet" + i, direction) + ") class" + i)
                        .collect(Collectors.joining(" union all "));
        EgressFilter.Subject subject = selection.filter().subject();
        return "select e.* from (select id from (" + first + ") parts order by id " + direction
                + " limit :rows) page cross join egress_event e where e.id = page.id and e.organization_id = :organization"
                + (subject.vmId() == null ? "" : " and e.vm_id = :vm")
                + (subject.host() == null ? "" : " and e.host = :host")
                + (subject.cidr() == null ? "" : " and e.cidr = :cidr") + " order by e.id " + direction;
    }

    private static String part(String condition, String direction) {
        return "select id from egress_event where " + condition + " and id >= :low and id < :high order by id "
                + direction + " limit :rows";
    }

    private static Query query(Handle handle, Selection selection) {
        Query query = handle.createQuery(sql(selection));
        EgressFilter.Subject subject = selection.filter().subject();
        List<EgressClass> classes = selection.classes();
        for (int i = 0; i < classes.size(); i++) {
            query.bind("facet" + i, selection.facet().value(selection.organization(), classes.get(i), subject));
        }
        query.bind("organization", selection.organization());
        query.bind("rows", selection.page().limit() + 1);
        if (subject.vmId() != null) {
            query.bind("vm", subject.vmId());
        }
        if (subject.host() != null) {
            query.bind("host", subject.host());
        }
        if (subject.cidr() != null) {
            query.bind("cidr", subject.cidr());
        }
        return query;
    }
}
