/**
 * Sandboxes: what users want of them, in the database, and who brings it about.
 *
 * <p>Starting points: {@link dev.sallyport.control.sandbox.Vms} (what the API asks for), {@link
 * dev.sallyport.control.sandbox.Reconciler} (compares it with what the driver sees), {@link
 * dev.sallyport.control.sandbox.VmState} (the states and their transitions).
 */
@NullMarked
package dev.sallyport.control.sandbox;

import org.jspecify.annotations.NullMarked;
