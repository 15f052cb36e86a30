/** Matches hosts, addresses and paths, and makes destinations canonical. */
@NullMarked
package dev.sallyport.toolkit.match;

import org.jspecify.annotations.NullMarked;
