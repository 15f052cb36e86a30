package dev.sallyport.core;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.ConfigResult;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.ExplainedCaller;
import dev.sallyport.core.explain.InvalidRequestException;
import dev.sallyport.core.workload.Callers;
import dev.sallyport.core.workload.SourceAddress;
import dev.sallyport.core.workload.WorkloadTable;
import dev.sallyport.spi.Principal;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A configuration, and the transforms of one policy of it. Equal only to itself.
 *
 * @param workload empty for callers of no workload
 */
record ExplainedPolicy(ConfigResult.Loaded loaded, String workload, List<TransformEntry<?>> entries) {

    private static final String TOKEN = "http_request_denied";

    ExplainedPolicy {
        entries = List.copyOf(entries);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    /** Whether it belongs to this very configuration; after a reload of the same file it belongs to an earlier one. */
    @SuppressWarnings("ReferenceEquality")
    boolean isOf(ConfigResult.@Nullable Loaded configuration) {
        return loaded == configuration;
    }

    /** Who would send a request: as the workload, user and address that it names have it. */
    static Principal caller(ExplainRequest request, WorkloadTable<?> workloads, boolean knownUser)
            throws InvalidRequestException {
        String user = request.user();
        if (!user.isEmpty() && !knownUser && workloads.digest(user) == null) {
            throw new InvalidRequestException("user", "no such user (expected: one of proxy.auth.users)");
        }
        String name = request.workload();
        if (user.isEmpty() && !name.isEmpty()) {
            return Principal.of(name, Callers.SOURCE_ADDRESS);
        }
        String asked = user.isEmpty() ? null : user;
        Principal claimed = workloads.select(SourceAddress.of(request.source().getAddress()), asked);
        return Objects.requireNonNullElseGet(
                claimed, () -> asked == null ? Principal.anonymous() : new Callers().user(asked));
    }

    /** The caller, with what it gets in any case. */
    static ExplainedCaller served(Principal caller, boolean refusesUnclaimed, List<ConfigProblem> problems) {
        Refusal refusal = null;
        if (caller.equals(Callers.AMBIGUOUS)) {
            refusal = new Refusal(403, "ambiguous_workload", "Two workloads claim this caller.", TOKEN);
        } else if (caller.equals(Callers.UNKNOWN) || refusesUnclaimed) {
            refusal = new Refusal(403, "unknown_workload", "No workload claims this caller.", TOKEN);
        } else if (!problems.isEmpty()) {
            refusal = new Refusal(503, "policy_unavailable", "The policy of this workload could not be built.", TOKEN);
        }
        return new ExplainedCaller(caller, refusal);
    }
}
