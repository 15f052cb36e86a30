package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.BodyCaps;
import java.time.Duration;

/**
 * Limits of the pipeline.
 *
 * @param transformTimeout the limit on one decision of a transform that sets none itself
 * @param bodyTimeout how long a transform waits for a body
 * @param caps how much of a body may be buffered
 */
public record PipelineSettings(Duration transformTimeout, Duration bodyTimeout, BodyCaps caps) {}
