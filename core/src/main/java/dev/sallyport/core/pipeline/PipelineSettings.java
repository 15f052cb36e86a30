package dev.sallyport.core.pipeline;

import java.time.Duration;

/**
 * Limits of the pipeline.
 *
 * @param transformTimeout how long one decision may take where the transform does not say
 * @param bodyTimeout how long a transform waits for a body
 * @param maxRequestBody bytes of a request that may be buffered, {@link Long#MAX_VALUE} for no limit
 * @param maxResponseBody bytes of a response that may be buffered, {@link Long#MAX_VALUE} for no limit
 */
public record PipelineSettings(
        Duration transformTimeout, Duration bodyTimeout, long maxRequestBody, long maxResponseBody) {}
