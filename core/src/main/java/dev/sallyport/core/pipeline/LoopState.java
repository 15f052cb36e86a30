package dev.sallyport.core.pipeline;

/**
 * The state that an event loop keeps for all generations that it serves.
 *
 * @param mark the transform whose code the loop is running
 * @param plans the stages that match each destination
 */
record LoopState(RunningTransform mark, MatchedStagesCache plans) {

    LoopState() {
        this(new RunningTransform(), new MatchedStagesCache());
    }
}
