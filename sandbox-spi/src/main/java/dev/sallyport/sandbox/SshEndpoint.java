package dev.sallyport.sandbox;

/**
 * Where the sshd of a VM listens, for processes of the driver's host.
 *
 * @param host an address, or a name that this host resolves
 * @param port 1 to 65535
 */
public record SshEndpoint(String host, int port) {}
