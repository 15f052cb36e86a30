package dev.sallyport.core.body;

import dev.sallyport.spi.BodyRewriter;

/** A stage that a transform registered and that has not been applied yet. */
sealed interface Stage {

    /** The transform, by its place in the pipeline. */
    int position();

    /** Whether it wants the content coding removed. */
    boolean identity();

    /** A rewriter. */
    record Rewrite(int position, BodyRewriter rewriter, boolean identity) implements Stage {}

    /** An observer. */
    record Observe(int position, Watcher watcher, boolean identity) implements Stage {}
}
