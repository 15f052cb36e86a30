package dev.sallyport.core;

import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.pipeline.GenerationBuilder;
import dev.sallyport.core.pipeline.Pipeline;
import dev.sallyport.core.pipeline.PipelineSettings;
import org.jspecify.annotations.Nullable;

/** The generations of callers that get nothing (docs/spec/decisions.md, section 16), whatever the policies are. */
final class RefusedCallers {

    private static final int FORBIDDEN = 403;
    private static final int UNAVAILABLE = 503;

    private RefusedCallers() {}

    /** A pipeline that refuses those that cannot be told. */
    static Pipeline pipeline(GenerationBuilder generations, PipelineSettings settings) {
        return new Pipeline(unknown(generations, settings, null), ambiguous(generations, settings));
    }

    /**
     * For callers that no workload claims although one has to, or at the address of one of which they are no users.
     *
     * @param instead what would judge them otherwise, or null
     */
    static Generation unknown(GenerationBuilder generations, PipelineSettings settings, @Nullable Generation instead) {
        return generations.refusing(
                FORBIDDEN,
                "unknown_workload",
                "No workload has both this source address and this proxy user.",
                settings,
                instead);
    }

    private static Generation ambiguous(GenerationBuilder generations, PipelineSettings settings) {
        return generations.refusing(
                FORBIDDEN,
                "ambiguous_workload",
                "Source address and proxy user belong to different workloads.",
                settings);
    }

    /**
     * For a workload, or callers of none, whose policy could not be built.
     *
     * @param instead what is kept because it will be needed again, or null
     */
    static Generation withoutPolicy(
            GenerationBuilder generations, PipelineSettings settings, @Nullable Generation instead) {
        return generations.refusing(
                UNAVAILABLE,
                "policy_unavailable",
                "The policy of this workload could not be built.",
                settings,
                instead);
    }
}
