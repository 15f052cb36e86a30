/**
 * Removes credentials from what origins send back, before any transform sees it.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.redact.CarriedCredentials}: the credentials that one request carries
 *   <li>{@link dev.sallyport.core.redact.RedactionRegistry}: all credentials sent by the whole proxy, and where to;
 *       compiled once
 *   <li>{@link dev.sallyport.core.redact.ExchangeRedaction}: redacts the responses of one exchange
 * </ul>
 */
@NullMarked
package dev.sallyport.core.redact;

import org.jspecify.annotations.NullMarked;
