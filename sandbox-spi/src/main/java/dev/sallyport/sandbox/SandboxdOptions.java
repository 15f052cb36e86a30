package dev.sallyport.sandbox;

import java.util.Map;
import java.util.Optional;

/** What a configuration says of the sandboxd of its machine, so that one file is enough for both. */
public interface SandboxdOptions {

    /**
     * The options of sandboxd as text, by their names without dashes, such as {@code run_dir}; empty where the configuration
     * has something else run VMs.
     *
     * @param gatePort where the proxy takes TCP, for a configuration that does not say where the gate does; 0 for nowhere
     * @param dnsPort the same for DNS
     */
    Optional<Map<String, String>> sandboxd(int gatePort, int dnsPort);
}
