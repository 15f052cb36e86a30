/** Patterns over header names. */
@NullMarked
package dev.sallyport.toolkit.headers;

import org.jspecify.annotations.NullMarked;
