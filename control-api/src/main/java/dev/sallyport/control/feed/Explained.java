package dev.sallyport.control.feed;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.proxy.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What would become of a request. Holds no value: neither of a secret, nor of a header.
 *
 * @param status that the workload would get; null where the origin, or nobody, decides it
 * @param code why it is refused, as the proxy would say it
 * @param detail a sentence about it
 * @param decidedBy the transform that refused it; null where none did
 * @param rule the egress rule or policy that decided; null where none alone did
 * @param destination null when it could not be read
 * @param steps what each transform would do that is asked, in order
 * @param problems why policies do not do what they say
 */
public record Explained(
        Verdict verdict,
        @Nullable Integer status,
        @Nullable String code,
        @Nullable String detail,
        @Nullable String decidedBy,
        @Nullable String rule,
        Egress egress,
        @Nullable Target destination,
        List<Step> steps,
        List<Proxy.Problem> problems) {

    /** The verdicts. */
    public enum Verdict {
        /** It would be sent to its destination. */
        @JsonProperty("allow")
        ALLOW,
        /** It would be refused. */
        @JsonProperty("reject")
        REJECT,
        /** The proxy would answer it. */
        @JsonProperty("stub")
        STUB,
        /** It would fail. */
        @JsonProperty("error")
        ERROR,
        /** It depends on what is not known here. */
        @JsonProperty("undecidable")
        UNDECIDABLE
    }

    /**
     * What the egress policy says, as its events have it.
     *
     * @param verdict null when it would not be asked
     * @param rule the egress rule or network policy that lets the request through; null for none
     */
    public record Egress(
            EgressMode mode,
            EgressEvent.@Nullable Verdict verdict,
            @Nullable String rule) {}

    /** Where the request would go. */
    public record Target(String host, int port, boolean tls) {}

    /**
     * What a transform would do.
     *
     * @param phase {@code connect} before a tunnel opens, {@code request} about the request
     * @param action allow, reject, stub, error or undecidable
     * @param error what would go wrong
     * @param rules the egress rules and policies whose rules match, the deciding one first
     */
    public record Step(
            String transform,
            String phase,
            String action,
            @Nullable String error,
            List<String> rules,
            List<Edit> edits) {

        public Step {
            rules = List.copyOf(rules);
            edits = List.copyOf(edits);
        }
    }

    /**
     * A change of the request.
     *
     * @param edit such as {@code set_header}
     * @param name the header; null for what has no name
     */
    public record Edit(String edit, @Nullable String name) {}

    public Explained {
        steps = List.copyOf(steps);
        problems = List.copyOf(problems);
    }
}
