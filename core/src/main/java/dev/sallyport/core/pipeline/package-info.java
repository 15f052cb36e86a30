/**
 * The ordered transforms: built into generations, run over exchanges.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.pipeline.Pipeline}: the running generation, and how it is replaced
 *   <li>{@link dev.sallyport.core.pipeline.GenerationBuilder}: configuration to generation
 *   <li>{@link dev.sallyport.core.pipeline.RequestRun}, {@link dev.sallyport.core.pipeline.ResponseRun}: one exchange's
 *       way through the transforms, there and back
 * </ul>
 */
@NullMarked
package dev.sallyport.core.pipeline;

import org.jspecify.annotations.NullMarked;
