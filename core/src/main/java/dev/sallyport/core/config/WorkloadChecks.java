package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.IpRange;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Checks the workloads of a configuration against each other and against its users. */
final class WorkloadChecks {

    private final List<WorkloadSection> workloads;
    private final Problems problems;

    WorkloadChecks(List<WorkloadSection> workloads, Problems problems) {
        this.workloads = workloads;
        this.problems = problems;
    }

    /** Reports names that are there twice, selectors that do not tell workloads apart, and users that do not exist. */
    void run(@Nullable ProxyAuth auth) {
        names();
        ranges();
        usersAnywhere();
        users(auth);
    }

    private static String pointer(int workload) {
        return "/workloads/" + workload;
    }

    private void names() {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < workloads.size(); i++) {
            if (!names.add(workloads.get(i).name())) {
                problems.add(pointer(i) + "/name", "another workload has this name", "each name once");
            }
        }
    }

    private void ranges() {
        Map<IpRange, Set<Integer>> owners = new HashMap<>();
        for (int i = 0; i < workloads.size(); i++) {
            List<IpRange> ranges = workloads.get(i).sourceCidrs();
            for (int r = 0; r < ranges.size(); r++) {
                Set<Integer> others = owners.computeIfAbsent(ranges.get(r), range -> new TreeSet<>());
                for (int other : others) {
                    if (other != i && overlap(workloads.get(i), workloads.get(other))) {
                        problems.add(
                                pointer(i) + "/source_cidrs/" + r,
                                "the workload "
                                        + MessageText.quoted(
                                                workloads.get(other).name()) + " has the same range",
                                "another range, or different proxy_users in both");
                    }
                }
                others.add(i);
            }
        }
    }

    private static boolean overlap(WorkloadSection one, WorkloadSection other) {
        return one.proxyUsers().isEmpty()
                || other.proxyUsers().isEmpty()
                || !Collections.disjoint(one.proxyUsers(), other.proxyUsers());
    }

    private void usersAnywhere() {
        Map<String, String> owners = new HashMap<>();
        for (int i = 0; i < workloads.size(); i++) {
            WorkloadSection workload = workloads.get(i);
            for (int u = 0;
                    workload.sourceCidrs().isEmpty()
                            && u < workload.proxyUsers().size();
                    u++) {
                String before = owners.putIfAbsent(workload.proxyUsers().get(u), workload.name());
                if (before != null && !before.equals(workload.name())) {
                    problems.add(
                            pointer(i) + "/proxy_users/" + u,
                            "the workload " + MessageText.quoted(before) + " has this user, too",
                            "another user, or source_cidrs that tell them apart");
                }
            }
        }
    }

    private void users(@Nullable ProxyAuth auth) {
        Set<String> known = new TreeSet<>();
        if (auth != null) {
            auth.users().forEach(user -> known.add(user.name()));
        }
        for (int i = 0; i < workloads.size(); i++) {
            List<String> users = workloads.get(i).proxyUsers();
            for (int u = 0; u < users.size(); u++) {
                if (!known.contains(users.get(u))) {
                    problems.add(
                            pointer(i) + "/proxy_users/" + u,
                            "no such user in proxy.auth",
                            known.isEmpty() ? "a section proxy.auth with this user" : NearestKey.oneOf(known));
                }
            }
        }
    }
}
