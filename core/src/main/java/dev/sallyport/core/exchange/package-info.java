/**
 * One request from its head to its audit record. A handler of {@code core.net} translates; an exchange decides.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.exchange.Exchanges}: begins exchanges, tunnels and refusals
 *   <li>{@link dev.sallyport.core.exchange.ClientStream}: the client's side, implemented by the protocols
 * </ul>
 */
@NullMarked
package dev.sallyport.core.exchange;

import org.jspecify.annotations.NullMarked;
