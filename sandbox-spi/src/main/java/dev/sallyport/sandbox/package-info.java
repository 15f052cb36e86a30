/**
 * The contract between the control plane and what runs its VMs.
 *
 * <p>Starting points: {@link dev.sallyport.sandbox.VmDriver}, {@link dev.sallyport.sandbox.VmSpec} (what a VM is made of),
 * {@link dev.sallyport.sandbox.Observed} (what became of it), {@link dev.sallyport.sandbox.GuestTask} (what is run inside it), {@link dev.sallyport.sandbox.VmDriverFactory} (how a driver
 * is found), {@link dev.sallyport.sandbox.FakeDriver} (a driver without guests, for tests).
 */
@NullMarked
package dev.sallyport.sandbox;

import org.jspecify.annotations.NullMarked;
