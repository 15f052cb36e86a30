/**
 * The lower bound: a proxy that terminates TLS on both sides and has no policy.
 *
 * <p>Starting points: {@link dev.sallyport.compare.relay.BareRelay}.
 */
@NullMarked
package dev.sallyport.compare.relay;

import org.jspecify.annotations.NullMarked;
