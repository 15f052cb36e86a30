/**
 * The configuration: read, bound to records and checked. Every problem is reported at once, with its place.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.config.ConfigLoader}: reads a file and an environment into a
 *       {@link dev.sallyport.core.config.ProxyConfig} or a list of problems
 *   <li>{@link dev.sallyport.core.config.PluginCatalog}: the available transforms and secret sources
 *   <li>{@link dev.sallyport.core.config.SchemaGenerator} and {@link dev.sallyport.core.config.FieldTable}: the same
 *       records for editors and for readers
 * </ul>
 */
@NullMarked
package dev.sallyport.core.config;

import org.jspecify.annotations.NullMarked;
