/**
 * Secrets: read through plug-in sources, kept fresh, shared by all equal references, and never shown.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.secret.SecretStore}: one for each proxy
 *   <li>{@link dev.sallyport.core.secret.SecretScope}: one for each pipeline generation
 * </ul>
 */
@NullMarked
package dev.sallyport.core.secret;

import org.jspecify.annotations.NullMarked;
