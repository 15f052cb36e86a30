/**
 * Host, address, path and method matching, shared by all code that judges a destination.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.match.Destinations}: makes a destination from a text on the wire
 *   <li>{@link dev.sallyport.toolkit.match.CompiledRules}: many rules with a single look-up
 *   <li>{@link dev.sallyport.toolkit.match.Paths}: decoding a path and refusing an ambiguous one
 *   <li>{@link dev.sallyport.toolkit.match.CidrSet}: address ranges
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.match;

import org.jspecify.annotations.NullMarked;
