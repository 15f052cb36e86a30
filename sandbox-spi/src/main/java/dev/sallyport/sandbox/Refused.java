package dev.sallyport.sandbox;

/**
 * What the network of a VM did not let through, since the VM was started.
 *
 * @param packets rejected: UDP other than DNS, ICMP, IPv6, and connections above the VM's cap
 * @param spoofed dropped because their source was not the VM's address
 */
public record Refused(long packets, long spoofed) {}
