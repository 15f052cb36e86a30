/**
 * What transforms make of the values of secrets.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.secret.DerivedValue}: kept for as long as the secrets have the same values
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.secret;

import org.jspecify.annotations.NullMarked;
