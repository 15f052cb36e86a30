package dev.sallyport.core;

import java.util.concurrent.CompletionStage;

/**
 * The door through which policies come into a running proxy, beside its file: workloads with pipelines of their own,
 * and the secrets that these refer to. From {@link EgressProxy#pipelines()} and {@link CompanionContext#pipelines()},
 * which lead to the same feed. Thread-safe. Only the engine implements it, so it may grow.
 *
 * <p>What comes in lives until a later update, or the end of the proxy; a reload of the file leaves it alone. Nothing
 * of it is stored.
 */
public interface PipelineFeed {

    /**
     * Applies an update: exchanges that begin after the stage has completed are judged by it, and by no part of it
     * before. Updates take effect in the order of the calls, each as a whole. What is under way for workloads that the
     * update changes or removes is judged again within 2 seconds, and ended with a record where it is refused; what
     * others have under way is not touched, unless it carries a secret that the update deletes.
     *
     * <p>A part that cannot be built does not hold up the rest: it is named in {@link Applied#problems}, and the
     * workload that it belongs to is refused everything (503 {@code policy_unavailable}, a tunnel with 403) until a
     * later update mends it.
     *
     * <p>Returns at once. The stage completes on a thread of the proxy, which dependent actions may block only at the
     * expense of later updates; exceptionally with an {@link IllegalStateException} when the proxy has ended.
     */
    CompletionStage<Applied> apply(PipelineUpdate update);
}
