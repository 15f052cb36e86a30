/**
 * From a head to a request with one destination, whatever the protocol.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.net.request.DestinationResolver}: makes one destination of all that a request says
 *   <li>{@link dev.sallyport.core.net.request.RequestHeadRules}: what a head must keep to
 *   <li>{@link dev.sallyport.core.net.request.ProxyAuthenticator}: who asks, by credentials
 *   <li>{@link dev.sallyport.core.net.request.DecodedRequest}: the result
 * </ul>
 */
@NullMarked
package dev.sallyport.core.net.request;

import org.jspecify.annotations.NullMarked;
