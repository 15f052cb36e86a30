/**
 * Takes credentials out of what origins send back, before any transform sees it.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.redact.CarriedCredentials}: what one request carries
 *   <li>{@link dev.sallyport.core.redact.RedactionRegistry}: what was sent where, of the whole proxy; compiled once
 *   <li>{@link dev.sallyport.core.redact.ExchangeRedaction}: what is done to the responses of one exchange
 * </ul>
 */
@NullMarked
package dev.sallyport.core.redact;

import org.jspecify.annotations.NullMarked;
