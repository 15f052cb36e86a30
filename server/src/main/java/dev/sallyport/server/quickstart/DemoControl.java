package dev.sallyport.server.quickstart;

import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.server.Failure;
import dev.sallyport.server.control.ControlApi;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control plane of the demo: where it listens, and where its state and the key of the demo's user are.
 *
 * @param temporary a state that goes with the quickstart; null for the one in the folder, which stays
 */
record DemoControl(
        ListenAddress address, Path keyFile, @Nullable Path temporary) {

    private static final Logger LOG = LoggerFactory.getLogger(DemoControl.class);
    private static final String LISTEN_VARIABLE = "SALLYPORT_CONTROL_LISTEN";
    private static final String STATE_VARIABLE = "SALLYPORT_CONTROL_STATE_DIR";
    private static final String KEY_FILE = "api-key";

    /**
     * That of a configuration; null when the user has removed it.
     *
     * @param alone whether it begins empty, on a free port
     * @param environment gets what overrides the file
     */
    static @Nullable DemoControl of(ProxyConfig config, Folder folder, boolean alone, Map<String, String> environment)
            throws IOException {
        ListenAddress address = config.companions().stream()
                .filter(companion -> companion.name().equals("control"))
                .flatMap(companion -> companion.listeners().values().stream())
                .findFirst()
                .orElse(null);
        if (address == null) {
            return null;
        }
        if (alone || Quickstart.isTaken(address)) {
            address = new ListenAddress(address.host(), freePort());
            environment.put(LISTEN_VARIABLE, address.toString());
        }
        if (!alone) {
            return new DemoControl(address, folder.path().resolve(KEY_FILE), null);
        }
        Path temporary = folder.temporaryState();
        environment.put(STATE_VARIABLE, temporary.toString());
        return new DemoControl(address, temporary.resolve(KEY_FILE), temporary);
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    /** Signs the user up, if need be. Blocks until the proxy has the policies, and the key of the demo API. */
    PolicyApi connect(String key) throws Failure, InterruptedException {
        String host = address.host().isEmpty() ? "127.0.0.1" : "";
        return PolicyApi.of(new ControlApi("http://" + host + address), keyFile, key);
    }

    /** Removes a temporary state, when the control plane has ended. */
    void remove() {
        if (temporary != null) {
            try {
                Folder.remove(temporary);
            } catch (IOException e) {
                LOG.warn("{} cannot be removed: {}", temporary, e.getMessage());
            }
        }
    }
}
