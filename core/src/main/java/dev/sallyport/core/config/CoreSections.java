package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    /** The whole, with the transforms that have a section of their own. */
    ProxyConfig with(List<TransformEntry<?>> sections) {
        return new ProxyConfig(dns, proxy, tls, transforms, management, metrics, log, sections);
    }

    /** TCP listeners that would take each other's address. */
    @Override
    public void check(Problems problems) {
        Map<String, @Nullable ListenAddress> listeners = new LinkedHashMap<>();
        listeners.put("/proxy/http_listen", proxy.httpListen());
        listeners.put("/proxy/https_listen", proxy.httpsListen());
        listeners.put("/proxy/tunnel_listen", proxy.tunnelListen());
        listeners.put("/dns/listen", dns.enabled() ? dns.listen() : null);
        listeners.put("/management/listen", management == null ? null : management.listen());
        listeners.put("/metrics/listen", metrics.listen());
        List<String> earlier = new ArrayList<>();
        listeners.forEach((pointer, address) -> {
            for (String other : earlier) {
                ListenAddress taken = listeners.get(other);
                if (address != null && taken != null && address.collidesWith(taken)) {
                    problems.add(pointer, "the address is taken by " + other, "another port");
                }
            }
            earlier.add(pointer);
        });
    }
}
