package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The top level of the configuration, without the sections of plug-ins. */
record CoreSections(
        @JsonPropertyDescription("The DNS server that steers workloads to the proxy.")
        DnsSection dns,

        @JsonPropertyDescription("Listeners, limits and connections.")
        ProxySection proxy,

        @JsonPropertyDescription("How TLS is handled.") TlsSection tls,

        @JsonPropertyDescription("The pipeline, in order. Every transform must pass for a request to be forwarded.")
        List<TransformEntry<?>> transforms,

        @JsonPropertyDescription("The management API; off when there is no such block.") @Nullable ManagementSection management,

        @JsonPropertyDescription("The metrics endpoint.") MetricsSection metrics,
        @JsonPropertyDescription("Logs.") LogSection log,

        @JsonPropertyDescription("Workloads with a pipeline of their own, told by source address and proxy user.")
        List<WorkloadSection> workloads)
        implements SelfValidating {

    /**
     * The whole configuration, with the transforms that have their own section and the sections that configure no
     * transform.
     */
    ProxyConfig with(
            List<TransformEntry<?>> sections, List<SectionEntry<?>> companions, List<WorkloadConfig> configured) {
        return new ProxyConfig(dns, proxy, tls, transforms, management, metrics, log, sections, companions, configured);
    }

    /** Reports TCP listeners with conflicting addresses, and workloads that cannot be told apart. */
    @Override
    public void check(Problems problems) {
        new WorkloadChecks(workloads, problems).run(proxy.auth());
        listeners(pointer -> true, problems);
    }

    /**
     * The addresses of the proxy's own listeners; reports conflicts.
     *
     * @param known whether the value at a pointer could be bound
     */
    ListenerClashes listeners(Predicate<String> known, Problems problems) {
        ListenerClashes clashes = new ListenerClashes(known);
        clashes.take("/proxy/http_listen", proxy.httpListen(), problems);
        clashes.take("/proxy/https_listen", proxy.httpsListen(), problems);
        clashes.take("/proxy/tunnel_listen", proxy.tunnelListen(), problems);
        clashes.take("/dns/listen", dns.enabled() ? dns.listen() : null, problems);
        clashes.take("/management/listen", management == null ? null : management.listen(), problems);
        clashes.take("/metrics/listen", metrics.listen(), problems);
        return clashes;
    }
}
