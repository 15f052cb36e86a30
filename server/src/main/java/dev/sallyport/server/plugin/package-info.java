/**
 * Finds transforms and secret sources: those on the class path, and those in the folder {@code plugins}, each with its
 * own class loader.
 *
 * <p>Starting points: {@link dev.sallyport.server.plugin.Plugins}.
 */
@NullMarked
package dev.sallyport.server.plugin;

import org.jspecify.annotations.NullMarked;
