/**
 * What clients may take: sizes, counts and times.
 */
@NullMarked
package dev.sallyport.core.net.limits;

import org.jspecify.annotations.NullMarked;
