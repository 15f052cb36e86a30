package dev.sallyport.control.sandbox;

/**
 * What the network of a VM has counted since the VM was started.
 *
 * @param refused packets that were rejected: UDP other than DNS, ICMP, IPv6, and connections above the VM's cap
 * @param spoofed packets that were dropped because their source was not the VM's address
 */
public record VmCounters(long refused, long spoofed) {}
