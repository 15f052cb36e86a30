/** Finds many tokens in a stream at once and rewrites them, through content codings. */
@NullMarked
package dev.sallyport.toolkit.scan;

import org.jspecify.annotations.NullMarked;
