/** Here the sources {@code vault} and {@code vault_connect} will live; there is no code yet. */
@NullMarked
package dev.sallyport.sources.vault;

import org.jspecify.annotations.NullMarked;
