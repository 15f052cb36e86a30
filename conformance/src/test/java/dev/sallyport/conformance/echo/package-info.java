/**
 * Real credentials on their way back to the workload: every transform that sends one, every spelling, every place of a
 * response, at once and stored.
 *
 * <p>Start with {@link dev.sallyport.conformance.echo.EchoCorpusTest}.
 */
@NullMarked
package dev.sallyport.conformance.echo;

import org.jspecify.annotations.NullMarked;
