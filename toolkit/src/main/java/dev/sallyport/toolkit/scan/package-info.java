/**
 * Finds many tokens at once, in text and in streams, and replaces them where they stand.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.scan.Placeholders}: placeholders and their values, in every part of a request
 *   <li>{@link dev.sallyport.toolkit.scan.TokenMatcher}: the search alone
 *   <li>{@link dev.sallyport.toolkit.scan.ReplacingRewriter}: the search in a body as it streams
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.scan;

import org.jspecify.annotations.NullMarked;
