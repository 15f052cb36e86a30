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
        if (EgressRange.of(filter, page).isEmpty()) {
            return new Page<>(List.of(), false);
        }
        Selection selection = new Selection(caller.organizationId(), filter, page, store.hasPartitions());
        return store.readInOrder(handle -> Page.of(
                bind(handle.createQuery(sql(selection)), selection)
                        .map((row, context) -> EgressRow.of(row).event())
                        .list(),
                page.limit()));
    }

    /**
     * What is asked for.
     *
     * @param partitions whether the table has some
     */
    record Selection(String organization, EgressFilter filter, PageRequest page, boolean partitions) {

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
        EgressFilter.Subject subject = selection.filter().subject();
        String conditions = "e.id = page.id and e.organization_id = :organization"
                + (subject.vmId() == null ? "" : " and e.vm_id = :vm")
                + (subject.host() == null ? "" : " and e.host = :host")
                + (subject.cidr() == null ? "" : " and e.cidr = :cidr");
        return "select e.* from (select id from (" + first(selection) + ") parts order by id " + direction
                + " limit :rows) page cross join "
                // With an end, that it is looked up for each identifier is not for PostgreSQL to weigh.
                + (selection.partitions()
                        ? "lateral (select * from egress_event e where e.id >= :low and e.id < :high and " + conditions
                                + " limit 1) e"
                        : "egress_event e where " + conditions)
                + " order by e.id " + direction;
    }

    /**
     * The first identifiers of each class. SQLite has no joins whose second part depends on the first, and PostgreSQL
     * would plan for each partition in each part of a union.
     */
    private static String first(Selection selection) {
        String direction = selection.page().direction();
        int classes = selection.classes().size();
        String column = selection.facet().column();
        if (classes == 0) {
            return part("organization_id = :organization", direction);
        }
        if (selection.partitions()) {
            String facets = IntStream.range(0, classes)
                    .mapToObj(i -> "(cast(:facet" + i + " as bigint))")
                    .collect(Collectors.joining(", "));
            return "select part.id from (values " + facets + ") classes (facet) cross join lateral ("
                    + part(column + " = classes.facet", direction) + ") part";
        }
        return IntStream.range(0, classes)
                .mapToObj(i -> "select id from (" + part(column + " = :facet" + i, direction) + ") class" + i)
                .collect(Collectors.joining(" union all "));
    }

    private static String part(String condition, String direction) {
        return "select id from egress_event where " + condition + " and id >= :low and id < :high order by id "
                + direction + " limit :rows";
    }

    /** Gives a statement of {@link #sql} its values. */
    static Query bind(Query query, Selection selection) {
        EgressFilter.Subject subject = selection.filter().subject();
        List<EgressClass> classes = selection.classes();
        for (int i = 0; i < classes.size(); i++) {
            query.bind("facet" + i, selection.facet().value(selection.organization(), classes.get(i), subject));
        }
        EgressRange range = EgressRange.of(selection.filter(), selection.page());
        query.bind("low", range.low()).bind("high", range.high());
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
