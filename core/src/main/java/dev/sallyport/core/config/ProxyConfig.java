package dev.sallyport.core.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole configuration: bound, with defaults, and checked. An immutable value.
 *
 * @param transforms in the order of the file
 * @param management null when the management API is off
 * @param sections the transforms that have a section of their own, such as {@code mcp}; they come last in the pipeline
 * @param companions the sections that configure no transform, in the order of their names
 * @param workloads the workloads that have a pipeline of their own, in the order of the file
 */
public record ProxyConfig(
        DnsSection dns,
        ProxySection proxy,
        TlsSection tls,
        List<TransformEntry<?>> transforms,
        @Nullable ManagementSection management,
        MetricsSection metrics,
        LogSection log,
        List<TransformEntry<?>> sections,
        List<SectionEntry<?>> companions,
        List<WorkloadConfig> workloads) {

    public ProxyConfig {
        transforms = List.copyOf(transforms);
        sections = List.copyOf(sections);
        companions = List.copyOf(companions);
        workloads = List.copyOf(workloads);
    }
}
