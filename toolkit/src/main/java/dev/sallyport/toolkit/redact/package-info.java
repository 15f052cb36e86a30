/**
 * Replaces real values with placeholders in text and in streams, in any form of the values.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.redact.Redactor}: compiled values and their placeholders
 *   <li>{@link dev.sallyport.toolkit.redact.Restriction}: limits what a request may ask for when its response will be
 *       searched
 *   <li>{@code RedactingRewriter}: how the forms share one pass over a stream
 *   <li>{@code Escaping}: the notations that are decoded
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.redact;

import org.jspecify.annotations.NullMarked;
