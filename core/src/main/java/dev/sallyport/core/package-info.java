/**
 * The embedding API, and the engine that it starts: everything between configuration and sockets.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.EgressProxy}: a proxy; {@link dev.sallyport.core.DryRun}: explanations without one
 *   <li>{@link dev.sallyport.core.Engine}: makes all parts in order, closes them in reverse, and reloads
 *   <li>{@link dev.sallyport.core.Preflight}: what is checked before anything is made
 *   <li>{@link dev.sallyport.core.ConfigMapper}: what the parts are made from, read from the configuration
 *   <li>{@link dev.sallyport.core.PipelineFeed}: policies that come while the proxy runs
 *   <li>{@link dev.sallyport.core.CompanionFactory}: code with a section of its own that lives beside the proxy
 * </ul>
 */
@NullMarked
package dev.sallyport.core;

import org.jspecify.annotations.NullMarked;
