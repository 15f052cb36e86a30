package dev.sallyport.core.pipeline;

import java.util.function.LongSupplier;

/**
 * What the runs of a generation need of the engine.
 *
 * @param blocking where blocking steps run
 * @param settings the limits of the pipeline
 * @param deletions how many deletions of secrets the proxy has seen; takes no lock
 */
record RunServices(BlockingStepExecutor blocking, PipelineSettings settings, LongSupplier deletions) {}
