/**
 * The network of guests: a cable to each, and one table of rules for all of them.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxd.net.GuestNetworks}, {@link dev.sallyport.sandboxd.net.Ruleset} (what is
 * let through), {@link dev.sallyport.sandboxd.net.GatePlan} (addresses).
 */
@NullMarked
package dev.sallyport.sandboxd.net;

import org.jspecify.annotations.NullMarked;
