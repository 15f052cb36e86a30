package dev.sallyport.sandboxd.net;

import dev.sallyport.testsupport.NetworkNamespace;
import dev.sallyport.testsupport.Tools;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A network namespace for a gate and one for each of its guests, with cables between them, before each test; they and the gate
 * are gone after it. Skips the test where that is not possible.
 */
final class GateNetwork implements BeforeEachCallback, AfterEachCallback {

    private final int[] numbers;
    private final Map<Integer, NetworkNamespace> guests = new TreeMap<>();
    private NetworkNamespace namespace;
    private GateProcess gate;

    /** @param numbers the last parts of the guests' addresses */
    GateNetwork(int... numbers) {
        this.numbers = numbers;
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        Tools.require("nft", "perl", "unshare", "sysctl");
        namespace = NetworkNamespace.add("svr");
        for (int number : numbers) {
            guests.put(number, NetworkNamespace.add("svg" + number));
            RulesetTest.connect(namespace, guest(number), number);
        }
    }

    /** Starts the gate, with its guests connected. */
    GateProcess start() throws Exception {
        return startAfter("true");
    }

    /** Starts it after a command of a shell, see {@link GateProcess#startAfter}. */
    GateProcess startAfter(String command) throws Exception {
        gate = GateProcess.startAfter(
                namespace(),
                command,
                guests.keySet().stream().map(GateNetwork::address).toArray(String[]::new));
        return gate;
    }

    /** The gate's. */
    NetworkNamespace namespace() {
        return namespace;
    }

    /** That of a guest. */
    NetworkNamespace guest(int number) {
        return guests.get(number);
    }

    private static String address(int number) {
        return "10.77.0." + number;
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (gate != null) {
            gate.close();
        }
        for (NetworkNamespace guest : guests.values()) {
            guest.close();
        }
        if (namespace != null) {
            namespace.close();
        }
    }
}
