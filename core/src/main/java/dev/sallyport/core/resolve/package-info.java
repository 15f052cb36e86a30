/**
 * Resolves names to addresses, for dialling upstreams.
 *
 * <p>How a name is resolved, in this order:
 *
 * <ol>
 *   <li>An address literal is its own answer.
 *   <li>{@code localhost} and names under it are the loopback addresses (RFC 6761, 6.3).
 *   <li>The hosts file of this machine answers, even if {@code upstream_resolver} is set: it belongs to the operator,
 * as
 *       the configuration does. Changes are picked up within seconds.
 *   <li>The cache, shared by all loops.
 *   <li>DNS over UDP, or over TCP when the answer was truncated: from the configured resolver, otherwise the operating
 *       system's. A lost query is repeated.
 * </ol>
 *
 * <p>The proxy resolves exactly the name that policy has judged: the system's search domains apply only to names
 * without a dot, and not at all if {@code upstream_resolver} is set.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.resolve.Resolver}: resolves on a given loop
 *   <li>{@link dev.sallyport.core.resolve.ResolveException}: not found, no address, failed or timed out
 * </ul>
 */
@NullMarked
package dev.sallyport.core.resolve;

import org.jspecify.annotations.NullMarked;
