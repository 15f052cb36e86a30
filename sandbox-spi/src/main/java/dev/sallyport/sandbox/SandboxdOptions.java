package dev.sallyport.sandbox;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a configuration says of the sandboxd of its machine, so that one file is enough for both. */
public interface SandboxdOptions {

    /**
     * The options of sandboxd as text, by their names without dashes, such as {@code run_dir}; empty where the configuration
     * has something else run VMs.
     *
     * @param gate the proxy, for a configuration that does not say where the gate is
     */
    Optional<Map<String, String>> sandboxd(Gate gate);

    /**
     * What guests need to know of a proxy.
     *
     * @param port where it takes TCP; 0 for nowhere
     * @param dnsPort the same for DNS
     * @param authority the file with its certificate authority, PEM; null where it intercepts no TLS
     */
    record Gate(int port, int dnsPort, @Nullable Path authority) {}
}
