/**
 * Puts placeholders back where real values stand in text and in streams, in whatever form the values come.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.redact.Redactor}: values, what stands for them, and every place in which they are
 *       looked for
 *   <li>{@link dev.sallyport.toolkit.redact.Restriction}: what a request may ask for whose response is looked through
 *   <li>{@code RedactingRewriter}: how the forms share one pass over a stream
 *   <li>{@code Escaping}: the ways of writing that are seen through
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.redact;

import org.jspecify.annotations.NullMarked;
