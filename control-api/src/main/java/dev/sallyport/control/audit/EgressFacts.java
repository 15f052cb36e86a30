package dev.sallyport.control.audit;

import dev.sallyport.control.model.EgressMode;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy tells of a request.
 *
 * @param at when it began; what is later than the arrival of the event, because of a clock that is wrong, counts as then
 * @param vmId the sandbox that it came from, or null
 */
public record EgressFacts(
        Instant at, @Nullable String vmId, Target target, Outcome outcome, List<EgressEvent.Replacement> replacements) {

    public EgressFacts {
        replacements = List.copyOf(replacements);
    }

    /**
     * Where it went.
     *
     * @param host in canonical form
     * @param cidr the rule that matched, when it was a range
     */
    public record Target(String host, @Nullable String cidr, EgressEvent.Protocol protocol) {

        public Target {
            host = host.toLowerCase(Locale.ROOT);
        }
    }

    /** What became of it; see {@link EgressEvent}. */
    public record Outcome(
            EgressEvent.Verdict verdict, boolean allowed, EgressMode mode, EgressEvent.@Nullable Dial dial) {}
}
