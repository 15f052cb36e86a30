/**
 * What this process asks of its machine: programs, mounts, processes.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxd.system.Command}, {@link dev.sallyport.sandboxd.system.Mounts}, {@link
 * dev.sallyport.sandboxd.system.HostProcess}.
 */
@NullMarked
package dev.sallyport.sandboxd.system;

import org.jspecify.annotations.NullMarked;
