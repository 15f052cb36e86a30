/** Secrets from the process environment and from files. */
@NullMarked
package dev.sallyport.sources.local;

import org.jspecify.annotations.NullMarked;
