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

        @JsonPropertyDescription("What is done to TLS.") TlsSection tls,

        @JsonPropertyDescription("The pipeline, in order. Every transform must pass for a request to be forwarded.")
        List<TransformEntry<?>> transforms,

        @JsonPropertyDescription("Reserved for the management API, which is not part of this build: refused.") @Nullable ManagementSection management,

        @JsonPropertyDescription("The metrics endpoint.") MetricsSection metrics,
        @JsonPropertyDescription("Logs.") LogSection log)
        implements SelfValidating {

    /** The whole, with the transforms that have a section of their own and the sections that are no transforms. */
    ProxyConfig with(List<TransformEntry<?>> sections, List<SectionEntry<?>> companions) {
        return new ProxyConfig(dns, proxy, tls, transforms, management, metrics, log, sections, companions);
    }

    /** TCP listeners that would take each other's address. */
    @Override
    public void check(Problems problems) {
        listeners(pointer -> true, problems);
    }

    /**
     * The addresses of the proxy's own listeners; reports those that are taken twice.
     *
     * @param known whether what stands at a pointer could be bound
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
