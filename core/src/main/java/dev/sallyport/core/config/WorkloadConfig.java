package dev.sallyport.core.config;

import dev.sallyport.toolkit.match.IpRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A workload of the configuration: bound and checked. An immutable value.
 *
 * @param sourceCidrs where its connections come from; empty for anywhere
 * @param proxyUsers its users; empty for any, and for none
 * @param transforms its pipeline, in order; null for the top-level one
 * @param sections transforms that have a section of their own, in place of the top-level ones of the same names
 * @param pointer JSON pointer of the entry
 */
public record WorkloadConfig(
        String name,
        List<IpRange> sourceCidrs,
        List<String> proxyUsers,
        @Nullable List<TransformEntry<?>> transforms,
        List<TransformEntry<?>> sections,
        String pointer) {

    public WorkloadConfig {
        sourceCidrs = List.copyOf(sourceCidrs);
        proxyUsers = List.copyOf(proxyUsers);
        transforms = transforms == null ? null : List.copyOf(transforms);
        sections = List.copyOf(sections);
    }

    /** The transforms of the list, in the order in which they run. */
    public List<TransformEntry<?>> listed(ProxyConfig whole) {
        return transforms == null ? whole.transforms() : transforms;
    }

    /** The transforms that have a section, which follow those of the list. */
    public List<TransformEntry<?>> sections(ProxyConfig whole) {
        List<TransformEntry<?>> all = new ArrayList<>(sections);
        for (TransformEntry<?> section : whole.sections()) {
            if (sections.stream().noneMatch(own -> own.name().equals(section.name()))) {
                all.add(section);
            }
        }
        return all;
    }
}
