package dev.sallyport.sandbox;

import java.net.Inet4Address;

/**
 * The address by which the gate knows a VM. It stays the VM's from its creation to its end, over every stop and start, and
 * is never that of two VMs at once.
 *
 * @param address inside the driver's subnet, and not the gate's own
 */
public record NetworkLease(Inet4Address address) {}
