/**
 * Secrets on the proxy's machine: in its process environment, or in files.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.sources.local.EnvSourceFactory}: the source {@code env}
 *   <li>{@link dev.sallyport.sources.local.FileSourceFactory}: the source {@code file}
 * </ul>
 */
@NullMarked
package dev.sallyport.sources.local;

import org.jspecify.annotations.NullMarked;
