/**
 * The configuration: read, bound to records and checked, with every problem told at once and at its place.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.config.ConfigLoader}: from a file and an environment to a {@link
 *       dev.sallyport.core.config.ProxyConfig} or a list of problems
 *   <li>{@link dev.sallyport.core.config.PluginCatalog}: which transforms and secret sources there are
 *   <li>{@link dev.sallyport.core.config.SchemaGenerator} and {@link dev.sallyport.core.config.FieldTable}: the same
 *       records for editors and for readers
 * </ul>
 */
@NullMarked
package dev.sallyport.core.config;

import org.jspecify.annotations.NullMarked;
