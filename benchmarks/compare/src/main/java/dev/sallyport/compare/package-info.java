/**
 * Compares whole proxies under load: one command that starts them, measures them in alternation and reports.
 *
 * <p>Starting points: {@link dev.sallyport.compare.Main}, {@link dev.sallyport.compare.Comparison}.
 */
@NullMarked
package dev.sallyport.compare;

import org.jspecify.annotations.NullMarked;
