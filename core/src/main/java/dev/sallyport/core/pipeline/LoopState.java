package dev.sallyport.core.pipeline;

/**
 * What an event loop has for all generations that it serves.
 *
 * @param mark whose code it is running
 * @param plans which stages reach which destination
 */
record LoopState(RunningTransform mark, MatchedStagesCache plans) {

    LoopState() {
        this(new RunningTransform(), new MatchedStagesCache());
    }
}
