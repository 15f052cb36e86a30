/**
 * What secrets are called, and what transforms make of their values.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.secret.CloudNames}: what AWS calls them
 *   <li>{@link dev.sallyport.toolkit.secret.DerivedValue}: kept for as long as the secrets have the same values
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.secret;

import org.jspecify.annotations.NullMarked;
