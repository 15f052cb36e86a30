package dev.sallyport.core;

import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.workload.Workload;
import dev.sallyport.core.workload.WorkloadTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Workloads that take the place of others.
 *
 * @param made those that are new or have been rebuilt
 * @param gone the names of those that go
 *
 */
record WorkloadChanges(List<LiveWorkload> made, Set<String> gone) {

    WorkloadChanges {
        made = List.copyOf(made);
        gone = Set.copyOf(gone);
    }

    /** The names of all that are not as they were. */
    Set<String> names() {
        Set<String> names = new HashSet<>(gone);
        made.forEach(workload -> names.add(workload.name()));
        return names;
    }

    /** Whether callers may be told otherwise than by this table, also those whose workload stays as it is. */
    boolean changesSelection(WorkloadTable<Generation> before) {
        for (LiveWorkload workload : made) {
            Workload<Generation> now = workload.workload();
            Workload<Generation> present = before.get(now.name());
            if (present == null
                    || !present.ranges().equals(now.ranges())
                    || !present.users().equals(now.users())) {
                return true;
            }
        }
        return false;
    }

    /** The table after the changes. */
    WorkloadTable<Generation> appliedTo(WorkloadTable<Generation> table) {
        WorkloadTable<Generation> next = table;
        for (String name : gone) {
            next = next.without(name);
        }
        for (LiveWorkload workload : made) {
            next = next.with(workload.workload());
        }
        return next;
    }

    /** The generations that end with the changes. */
    Collection<Generation> ending(WorkloadTable<Generation> before) {
        List<Generation> ending = new ArrayList<>();
        for (String name : names()) {
            Workload<Generation> present = before.get(name);
            if (present != null) {
                ending.add(present.policy());
            }
        }
        return ending;
    }
}
