/**
 * The process that runs VMs as root, so that the control plane and the proxy need not be.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxd.Sandboxd} (the program), {@link dev.sallyport.sandboxd.server} (its
 * socket), {@link dev.sallyport.sandboxd.client} (who asks it), {@link dev.sallyport.sandboxd.vm} (what runs VMs), {@link
 * dev.sallyport.sandboxd.oci} (as containers), {@link dev.sallyport.sandboxd.qemu} (as virtual machines).
 */
@NullMarked
package dev.sallyport.sandboxd;

import org.jspecify.annotations.NullMarked;
