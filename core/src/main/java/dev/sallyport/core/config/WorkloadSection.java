package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.IpRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@code workloads}, without the sections of transforms that it may have.
 *
 * @param transforms null for those of the top level
 */
record WorkloadSection(
        @JsonProperty(required = true) @JsonPropertyDescription("Name in audit records and metrics.")
        String name,

        @JsonPropertyDescription(
                "Source addresses of its connections. The longest range that holds an address decides.")
        List<IpRange> sourceCidrs,

        @JsonPropertyDescription("Its users, of proxy.auth.")
        List<String> proxyUsers,

        @JsonPropertyDescription("Its pipeline, in place of the top-level one. Absent: the top-level one.") @Nullable List<TransformEntry<?>> transforms)
        implements SelfValidating {

    WorkloadSection {
        sourceCidrs = List.copyOf(sourceCidrs);
        proxyUsers = List.copyOf(proxyUsers);
        transforms = transforms == null ? null : List.copyOf(transforms);
    }

    @Override
    public void check(Problems problems) {
        String wrong = WorkloadNames.fault(name);
        if (!wrong.isEmpty()) {
            problems.add("/name", wrong, WorkloadNames.EXPECTED);
        }
        if (name.startsWith(WorkloadNames.OF_CONTROL)) {
            problems.add(
                    "/name",
                    "a name of the control plane's own workloads",
                    "one that does not begin with " + WorkloadNames.OF_CONTROL);
        }
        if (sourceCidrs.isEmpty() && proxyUsers.isEmpty()) {
            problems.add("", "a workload that nothing selects", "source_cidrs, proxy_users or both");
        }
        if (transforms != null && transforms.isEmpty()) {
            problems.add("/transforms", "an empty list", "a list with a gate, or no such key for the top-level list");
        }
    }
}
