/**
 * Finds transforms and secret sources: those on the class path, and those that someone put into the folder
 * {@code plugins}, each behind a class loader of its own.
 *
 * <p>Starting points: {@link dev.sallyport.server.plugin.Plugins}.
 */
@NullMarked
package dev.sallyport.server.plugin;

import org.jspecify.annotations.NullMarked;
