/**
 * Secrets in 1Password: through a Connect server, or through the vendor's command.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.sources.vault.VaultConnectSourceFactory}: the source {@code vault_connect}
 *   <li>{@link dev.sallyport.sources.vault.VaultSourceFactory}: the source {@code vault}
 * </ul>
 */
@NullMarked
package dev.sallyport.sources.vault;

import org.jspecify.annotations.NullMarked;
