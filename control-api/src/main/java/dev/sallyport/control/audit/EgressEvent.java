package dev.sallyport.control.audit;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.control.model.EgressMode;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request of a workload, as a proxy saw it.
 *
 * @param vmId null for workloads that are no sandbox
 * @param cidr the rule that matched, when it was a range
 * @param verdict what the egress policy said
 * @param allowed whether the request was let through: under {@code warn} also when the verdict was {@code denied}
 * @param mode that of the policy at that time
 * @param dial what became of the connection to the origin; null where none was needed, and where the proxy does not say
 */
public record EgressEvent(
        String id,
        Instant timestamp,
        @Nullable String vmId,
        String host,
        @Nullable String cidr,
        Protocol protocol,
        Verdict verdict,
        boolean allowed,
        EgressMode mode,
        @Nullable Dial dial,
        List<Replacement> replacements) {

    public EgressEvent {
        replacements = List.copyOf(replacements);
    }

    /** What the proxy saw of the request. */
    public enum Protocol {
        /** Plain HTTP. */
        @JsonProperty("http")
        HTTP,
        /** TLS, intercepted or passed through. */
        @JsonProperty("tls")
        TLS,
        /** Anything else. */
        @JsonProperty("tcp")
        TCP
    }

    /** What the egress policy said. */
    public enum Verdict {
        /** A rule lets it through. */
        @JsonProperty("allowed")
        ALLOWED,
        /** None does. */
        @JsonProperty("denied")
        DENIED
    }

    /** What became of the connection to the origin. */
    public enum Dial {
        /** There was one. */
        @JsonProperty("connected")
        CONNECTED,
        /** There was none: its name, its address, the connection, TLS, or a parent proxy failed it. */
        @JsonProperty("failed")
        FAILED
    }

    /**
     * A placeholder that was replaced.
     *
     * @param secret the name of the secret
     * @param location such as {@code header:Authorization}
     */
    public record Replacement(String secret, String location) {}
}
