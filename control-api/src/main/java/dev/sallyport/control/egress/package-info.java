/**
 * Where the workloads of an account may connect to.
 *
 * <p>Starting points: {@link dev.sallyport.control.egress.EgressPolicies}, {@link dev.sallyport.control.egress.EgressRules}.
 */
@NullMarked
package dev.sallyport.control.egress;

import org.jspecify.annotations.NullMarked;
