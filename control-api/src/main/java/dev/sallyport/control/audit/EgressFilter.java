package dev.sallyport.control.audit;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sallyport.control.model.EgressMode;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which events; null is any.
 *
 * @param subject what takes many values
 * @param outcome what takes few
 * @param since inclusive
 * @param until exclusive
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EgressFilter(
        Subject subject,
        Outcome outcome,
        @Nullable Instant since,
        @Nullable Instant until) {

    /** Who, and where to. The host is compared without regard to case. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Subject(
            @Nullable String vmId,
            @Nullable String host,
            @Nullable String cidr) {

        public Subject {
            host = host == null ? null : host.toLowerCase(Locale.ROOT);
        }

        boolean matches(EgressEvent event) {
            return (vmId == null || vmId.equals(event.vmId()))
                    && (host == null || host.equals(event.host()))
                    && (cidr == null || cidr.equals(event.cidr()));
        }
    }

    /** How, and with what result. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Outcome(
            EgressEvent.@Nullable Protocol protocol,
            EgressEvent.@Nullable Verdict verdict,
            @Nullable Boolean allowed,
            @Nullable EgressMode mode,
            EgressEvent.@Nullable Dial dial) {

        boolean matches(EgressClass other) {
            return (protocol == null || protocol == other.protocol())
                    && (verdict == null || verdict == other.outcome().verdict())
                    && (allowed == null || allowed == other.outcome().allowed())
                    && (mode == null || mode == other.outcome().mode())
                    && (dial == null || dial == other.outcome().dial());
        }

        boolean isAny() {
            return protocol == null && verdict == null && allowed == null && mode == null && dial == null;
        }
    }

    /** Whether an event is one of these, whenever it happened. */
    boolean matches(EgressEvent event) {
        EgressFacts.Outcome became =
                new EgressFacts.Outcome(event.verdict(), event.allowed(), event.mode(), event.dial());
        return subject.matches(event) && outcome.matches(new EgressClass(event.protocol(), became));
    }

    /** The same without times. */
    EgressFilter atAnyTime() {
        return new EgressFilter(subject, outcome, null, null);
    }
}
