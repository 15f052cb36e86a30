package dev.sallyport.core;

import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.core.config.WorkloadConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a workload, or the policy of callers without one, is made of: parts of the file, and what the feed has delivered.
 * Equal if the same would be made of it.
 *
 * @param name empty for callers without a workload
 * @param file the entry of the file, or null
 * @param before the transforms of the file that precede what was delivered
 * @param after the transforms of the file that follow it
 * @param fed what was delivered, or null
 */
record WorkloadOrigin(
        String name,
        @Nullable WorkloadConfig file,
        List<TransformEntry<?>> before,
        List<TransformEntry<?>> after,
        @Nullable WorkloadSpec fed) {

    /** The policy of callers without a workload, as the file has it. */
    static WorkloadOrigin unclaimed(ProxyConfig config, List<TransformEntry<?>> given) {
        return new WorkloadOrigin("", null, joined(config.transforms(), given), config.sections(), null);
    }

    /**
     * A workload: what the file has for it, else what the file has for everybody, and what was delivered.
     *
     * @param everybody the policy of callers without a workload, as the file has it
     */
    static WorkloadOrigin of(
            String name,
            ProxyConfig config,
            List<TransformEntry<?>> given,
            WorkloadOrigin everybody,
            @Nullable WorkloadConfig file,
            @Nullable WorkloadSpec fed) {
        return file == null
                ? new WorkloadOrigin(name, null, everybody.before(), everybody.after(), fed)
                : new WorkloadOrigin(name, file, joined(file.listed(config), given), file.sections(config), fed);
    }

    /** The same, with this delivered. */
    WorkloadOrigin with(WorkloadSpec delivered) {
        return new WorkloadOrigin(name, file, before, after, delivered);
    }

    private static List<TransformEntry<?>> joined(List<TransformEntry<?>> list, List<TransformEntry<?>> given) {
        if (given.isEmpty()) {
            return list;
        }
        List<TransformEntry<?>> joined = new ArrayList<>(list);
        joined.addAll(given);
        return List.copyOf(joined);
    }

    /** Whether the same would be made of the other one. */
    boolean makesTheSame(WorkloadOrigin other) {
        return (fed == null ? other.fed == null : fed.saysTheSame(other.fed))
                && before.equals(other.before)
                && after.equals(other.after)
                && sameSelectors(file, other.file);
    }

    private static boolean sameSelectors(@Nullable WorkloadConfig one, @Nullable WorkloadConfig two) {
        if (one == null || two == null) {
            return one == null && two == null;
        }
        return one.sourceCidrs().equals(two.sourceCidrs()) && one.proxyUsers().equals(two.proxyUsers());
    }
}
