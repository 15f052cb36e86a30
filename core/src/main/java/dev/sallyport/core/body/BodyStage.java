package dev.sallyport.core.body;

import dev.sallyport.spi.BodyCheck;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.toolkit.coding.Codings;

/** A stage that was registered and has not been applied yet. */
sealed interface BodyStage {

    /** The transform, by its place in the pipeline. */
    int position();

    /** Whether it needs the content coding removed. */
    boolean identity();

    /** A rewriter. */
    record Rewrite(int position, BodyRewriter rewriter, boolean identity) implements BodyStage {}

    /** A check. */
    record Check(int position, BodyCheck check, boolean identity) implements BodyStage {}

    /** An observer. */
    record Observe(int position, ObserverGuard watcher, boolean identity) implements BodyStage {}

    /**
     * Decompresses the messages of a gRPC call, for the engine's own stages.
     *
     * @param codings those of each message
     */
    record InflateMessages(Codings codings) implements BodyStage {

        @Override
        public int position() {
            return BodyFailure.NOBODY;
        }

        @Override
        public boolean identity() {
            return true;
        }
    }
}
