package dev.sallyport.core.pipeline;

import dev.sallyport.core.body.BodyCaps;
import java.time.Duration;

/**
 * Limits of the pipeline.
 *
 * @param transformTimeout how long one decision may take where the transform does not say
 * @param bodyTimeout how long a transform waits for a body
 * @param caps what may be buffered of a body
 */
public record PipelineSettings(Duration transformTimeout, Duration bodyTimeout, BodyCaps caps) {}
