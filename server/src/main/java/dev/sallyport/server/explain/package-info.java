/**
 * Shows explanations: as JSON, as text for people, and to the management API.
 *
 * <p>Starting points: {@link dev.sallyport.server.explain.ExplanationText}, {@link
 * dev.sallyport.server.explain.ExplanationJson}, {@link dev.sallyport.server.explain.ExplainEndpoint}.
 */
@NullMarked
package dev.sallyport.server.explain;

import org.jspecify.annotations.NullMarked;
