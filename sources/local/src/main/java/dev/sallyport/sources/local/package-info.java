/**
 * Secrets that are where the proxy runs: in its process environment.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.sources.local.EnvSourceFactory}: the source {@code env}
 * </ul>
 */
@NullMarked
package dev.sallyport.sources.local;

import org.jspecify.annotations.NullMarked;
