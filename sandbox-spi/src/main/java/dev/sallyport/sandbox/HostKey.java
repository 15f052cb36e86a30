package dev.sallyport.sandbox;

/**
 * A key by which the sshd of a VM proves itself.
 *
 * @param type such as {@code ssh-ed25519}
 * @param key the public key in base64, as in {@code known_hosts}
 */
public record HostKey(String type, String key) {}
