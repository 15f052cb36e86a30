/**
 * Connections to origins: resolving, guarding, dialling, verifying, pooling, and the exchange of messages.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.upstream.Upstreams}: opens streams; one for each proxy
 *   <li>{@link dev.sallyport.core.upstream.UpstreamStream}, {@link dev.sallyport.core.upstream.UpstreamListener}: the
 *       two halves of one exchange with an origin, whatever its protocol
 *   <li>{@link dev.sallyport.core.upstream.UpstreamPools}: the implementation over pooled connections
 *   <li>{@link dev.sallyport.core.upstream.DialGuard}: denies addresses that workloads must not reach
 * </ul>
 */
@NullMarked
package dev.sallyport.core.upstream;

import org.jspecify.annotations.NullMarked;
