/**
 * Header names in canonical form, and patterns over them; the reason phrases of status lines.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.headers.HeaderNames}: the canonical form, as recorded in annotations
 *   <li>{@link dev.sallyport.toolkit.headers.HeaderPatterns}: a list of names and {@code /regex/} patterns
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.headers;

import org.jspecify.annotations.NullMarked;
