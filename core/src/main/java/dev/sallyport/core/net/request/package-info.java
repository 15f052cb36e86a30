/**
 * Turns a head into a request with one destination, whatever the protocol.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 * <li>{@link dev.sallyport.core.net.request.DestinationResolver}: derives one destination from everything that a
 * request states   <li>{@link dev.sallyport.core.net.request.RequestHeadRules}: the rules for a head
 *   <li>{@link dev.sallyport.core.net.request.ProxyAuthenticator}: identifies the caller by its credentials
 *   <li>{@link dev.sallyport.core.net.request.DecodedRequest}: the result
 * </ul>
 */
@NullMarked
package dev.sallyport.core.net.request;

import org.jspecify.annotations.NullMarked;
