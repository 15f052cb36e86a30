package dev.sallyport.server.quickstart;

import dev.sallyport.server.LocalNames;
import java.io.IOException;
import java.util.Map;

/** The names of the demo. */
final class DemoNames {

    /** The demo API. */
    static final String API = "api.demo.test";

    /** Resolves to the address of the cloud's metadata service, as an attacker's name would. */
    static final String METADATA = "metadata.demo.test";

    /** The secret with the demo API's key, and the variable that people may set it by. */
    static final String SECRET = "DEMO_API_KEY";

    /** What workloads hold instead of the key. */
    static final String PLACEHOLDER = "SALLYPORT_PROXY_" + SECRET;

    private static final String ZONE = ".demo.test";
    private static final Map<String, byte[]> ADDRESSES = Map.of(
            API, new byte[] {127, 0, 0, 1}, METADATA, new byte[] {(byte) 169, (byte) 254, (byte) 169, (byte) 254});

    private DemoNames() {}

    /** Starts their name server on this port, or on a free one when it is taken. */
    static LocalNames start(int preferredPort) throws IOException {
        return LocalNames.start(preferredPort, ZONE, ADDRESSES);
    }
}
