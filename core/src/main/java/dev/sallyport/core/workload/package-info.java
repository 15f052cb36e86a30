/**
 * Whose traffic it is: workloads by source address and proxy user, in a table that is replaced as a whole and shares
 * all that has not changed.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.workload.WorkloadTable}: selects the workload of a caller
 *   <li>{@link dev.sallyport.core.workload.Workload}: one workload, with its selectors and its policy
 *   <li>{@link dev.sallyport.core.workload.Callers}: the principals of callers that no table has to know
 * </ul>
 */
@NullMarked
package dev.sallyport.core.workload;

import org.jspecify.annotations.NullMarked;
