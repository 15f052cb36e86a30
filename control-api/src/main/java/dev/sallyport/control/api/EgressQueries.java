package dev.sallyport.control.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressFilter;
import dev.sallyport.control.audit.EgressHours;
import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.Limits;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What may be asked of {@code /v1/audit/egress}. */
final class EgressQueries {

    private EgressQueries() {}

    /** Which events, whatever their time. */
    record Which(
            @Limits(description = "Those of this sandbox.") @Nullable String vmId,

            @Limits(description = "What the egress policy said.")
            EgressEvent.@Nullable Verdict verdict,

            @Limits(description = "Whether it was let through.") @Nullable Boolean allowed,

            @Limits(description = "The mode of the policy at that time.") @Nullable EgressMode mode,

            @Limits(description = "Exactly this host, without regard to case.") @Nullable String host,

            @Limits(description = "Those that a rule with exactly this range matched.") @Nullable String cidr,

            @Limits(description = "What the proxy saw.") EgressEvent.@Nullable Protocol protocol,

            @Limits(description = "What became of the connection to the origin.")
            EgressEvent.@Nullable Dial dial) {

        private EgressFilter within(@Nullable Instant since, @Nullable Instant until) {
            return new EgressFilter(
                    new EgressFilter.Subject(vmId, host, cidr),
                    new EgressFilter.Outcome(protocol, verdict, allowed, mode, dial),
                    since,
                    until);
        }
    }

    /** Of the list. */
    record Listed(
            @JsonUnwrapped Which which,

            @Limits(description = "Inclusive.") @Nullable Instant since,
            @Limits(description = "Exclusive.") @Nullable Instant until,

            @Limits(description = "Identifier of the event after which the page begins.") @Nullable String cursor,

            @Limits(min = 1, max = 500, description = "How many at most.", defaultValue = "50") @Nullable Integer limit,

            @Limits(description = "Direction of the time.", defaultValue = "desc") @Nullable Order order) {

        EgressFilter filter() {
            return which.within(since, until);
        }
    }

    /** Of the counts. */
    record Counted(
            @Limits(description = "Exactly this host, without regard to case.") @Nullable String host,

            @Limits(description = "What the egress policy said.")
            EgressEvent.@Nullable Verdict verdict,

            @Limits(description = "Whether they were let through.") @Nullable Boolean allowed,

            @Limits(description = "Hours that begin then or later.") @Nullable Instant since,

            @Limits(description = "Hours that begin before.") @Nullable Instant until,

            @Limits(description = "The cursor of the page before.") @Nullable String cursor,

            @Limits(min = 1, max = 500, description = "How many at most.", defaultValue = "50") @Nullable Integer limit,

            @Limits(description = "Direction of the time.", defaultValue = "desc") @Nullable Order order) {

        EgressHours.Filter filter() {
            return new EgressHours.Filter(host, verdict, allowed, since, until);
        }

        /** The same, for the record of who has read what. */
        EgressFilter read() {
            return new EgressFilter(
                    new EgressFilter.Subject(null, host, null),
                    new EgressFilter.Outcome(null, verdict, allowed, null, null),
                    since,
                    until);
        }
    }

    /** Of the export. */
    record Exported(
            @JsonUnwrapped Which which,

            @Limits(description = "Inclusive.") @Nullable Instant since,
            @Limits(description = "Exclusive.") @Nullable Instant until,

            @Limits(description = "Direction of the time.", defaultValue = "desc") @Nullable Order order) {

        EgressFilter filter() {
            return which.within(since, until);
        }
    }

    /** Of the stream. */
    record Followed(@JsonUnwrapped Which which) {

        EgressFilter filter() {
            return which.within(null, null);
        }
    }
}
