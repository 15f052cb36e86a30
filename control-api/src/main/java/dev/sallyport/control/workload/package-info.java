/**
 * Workloads of each account at proxies of the installation, who tell themselves by a user and a password.
 *
 * <p>Starting point: {@link dev.sallyport.control.workload.Workloads}.
 */
@NullMarked
package dev.sallyport.control.workload;

import org.jspecify.annotations.NullMarked;
