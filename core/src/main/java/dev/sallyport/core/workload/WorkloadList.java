package dev.sallyport.core.workload;

import java.util.Arrays;

/** Short arrays of workloads, which are replaced and never changed. */
final class WorkloadList {

    private WorkloadList() {}

    static <P> Workload<P>[] none() {
        return make(0);
    }

    static <P> Workload<P>[] with(Workload<P>[] present, Workload<P> workload) {
        Workload<P>[] more = Arrays.copyOf(present, present.length + 1);
        more[present.length] = workload;
        return more;
    }

    static <P> Workload<P>[] without(Workload<P>[] present, Workload<P> workload) {
        Workload<P>[] rest = make(present.length);
        int kept = 0;
        for (Workload<P> other : present) {
            if (other != workload) {
                rest[kept++] = other;
            }
        }
        return Arrays.copyOf(rest, kept);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type can only be made raw
    private static <P> Workload<P>[] make(int length) {
        return new Workload[length];
    }
}
