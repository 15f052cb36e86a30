package dev.sallyport.core.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole configuration: bound, complete with defaults and checked. A value; immutable.
 *
 * @param transforms in the order of the file
 * @param management null when the management API is off
 * @param sections the transforms that have a section of their own, such as {@code mcp}; they stand last in the pipeline
 * @param companions the sections that configure no transform, in the order of their names
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
        List<SectionEntry<?>> companions) {

    public ProxyConfig {
        transforms = List.copyOf(transforms);
        sections = List.copyOf(sections);
        companions = List.copyOf(companions);
    }
}
