/**
 * One implementation of host, address, path and method matching, used by every part that judges a destination.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.match.Destinations}: from what came over the wire to a destination
 *   <li>{@link dev.sallyport.toolkit.match.CompiledRules}: many rules, one look-up
 *   <li>{@link dev.sallyport.toolkit.match.Paths}: decoding a path and refusing an ambiguous one
 *   <li>{@link dev.sallyport.toolkit.match.CidrSet}: address ranges
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.match;

import org.jspecify.annotations.NullMarked;
