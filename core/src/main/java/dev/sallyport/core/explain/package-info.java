/**
 * Explains what would become of a request: runs the pipeline over it, the same that judges traffic, and sends nothing.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.explain.ExplainRequest}: what is asked
 *   <li>{@link dev.sallyport.core.explain.Explanation}: the answer
 *   <li>{@link dev.sallyport.core.explain.Explainer}: judges one request after the other
 *   <li>{@link dev.sallyport.core.explain.Trial}: one request on its way through the pipeline
 * </ul>
 */
@NullMarked
package dev.sallyport.core.explain;

import org.jspecify.annotations.NullMarked;
