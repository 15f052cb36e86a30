package dev.sallyport.core.explain;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What would become of a request. Holds no secret.
 *
 * @param verdict the verdict
 * @param status the status that the client would get; 0 where the origin, or nobody, decides it
 * @param code stable, lower snake case: why it is refused, or what is missing for a verdict; null otherwise
 * @param detail a sentence about it, or null
 * @param decidedBy the transform that refused or answered it, or that could not be asked; null where the engine itself
 *     decided, and where all let it pass
 * @param rule the rule that decided, or the transform's entry where no rule of it did; null where none decided
 * @param workload the workload as audit records would name it; empty for none in particular
 * @param destination where it would go; null when that could not be read
 * @param transforms what each transform did that was asked, in order
 * @param response what would be done about the response of the origin; empty unless the request would be sent there
 * @param redacted the secrets that would be removed from the response, by name
 * @param groups further groups of the audit record, such as {@code mcp}
 * @param assumed the transforms that looked at what was not known, such as the headers of a recorded request, and let it
 *     pass
 */
public record Explanation(
        Verdict verdict,
        int status,
        @Nullable String code,
        @Nullable String detail,
        @Nullable String decidedBy,
        @Nullable SourceLocation rule,
        String workload,
        @Nullable Target destination,
        List<TransformOutcome> transforms,
        List<ResponseOutcome> response,
        List<String> redacted,
        Map<String, Map<String, ?>> groups,
        List<String> assumed) {

    /** The verdicts. */
    public enum Verdict {
        /** It would be sent to its destination. */
        ALLOW,
        /** It would be refused. */
        REJECT,
        /** The proxy would answer it. */
        STUB,
        /** It would fail. */
        ERROR,
        /** Not known without asking somebody. */
        UNDECIDABLE;

        private final String text = name().toLowerCase(Locale.ROOT);

        /** The name in JSON. */
        public String text() {
            return text;
        }
    }

    /**
     * The destination.
     *
     * @param host a canonical name or address
     * @param secure whether TLS is spoken to it
     * @param addresses the addresses that may be dialled; empty when nothing was resolved
     */
    public record Target(String host, int port, boolean secure, List<String> addresses) {

        public Target {
            addresses = List.copyOf(addresses);
        }
    }

    public Explanation {
        transforms = List.copyOf(transforms);
        response = List.copyOf(response);
        redacted = List.copyOf(redacted);
        groups = Map.copyOf(groups);
        assumed = List.copyOf(assumed);
    }
}
