package dev.sallyport.control.sandbox;

import java.util.List;

/**
 * The keys by which the sshd of a VM proves itself.
 *
 * @param knownHosts the same as lines of a {@code known_hosts} file, for the address at which the VM is reached
 */
public record VmHostKeys(List<Key> data, String knownHosts) {

    public VmHostKeys {
        data = List.copyOf(data);
    }

    /** A public key. */
    public record Key(String type, String key) {}

    static VmHostKeys of(String host, int port, List<Key> keys) {
        StringBuilder lines = new StringBuilder();
        String place = port == 22 ? host : "[" + host + "]:" + port;
        keys.forEach(key -> lines.append(place)
                .append(' ')
                .append(key.type())
                .append(' ')
                .append(key.key())
                .append('\n'));
        return new VmHostKeys(keys, lines.toString());
    }
}
