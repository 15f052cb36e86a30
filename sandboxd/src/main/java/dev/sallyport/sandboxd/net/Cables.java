package dev.sallyport.sandboxd.net;

import dev.sallyport.linux.SystemCallException;
import dev.sallyport.linux.SystemCalls;
import java.io.IOException;
import java.net.Inet4Address;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The interfaces and network namespaces of guests. No program is begun for them: that takes longer than what it does.
 * Thread-safe; the caller lets one thread at a time work on a guest.
 */
final class Cables {

    static final String NAMESPACES = "sallyport-";

    private static final Logger LOG = LoggerFactory.getLogger(Cables.class);

    /** The guest's end of a cable. */
    private static final String INSIDE = "eth0";

    private final GatePlan plan;

    Cables(GatePlan plan) {
        this.plan = plan;
    }

    /** Gives this machine the gate's address. */
    void openGate() throws IOException {
        try (RouteSocket here = RouteSocket.open()) {
            here.address(RouteSocket.LOOPBACK, plan.gateAddress());
            here.up(RouteSocket.LOOPBACK);
        }
    }

    /** Takes it back. */
    void closeGate() throws IOException {
        try (RouteSocket here = RouteSocket.open()) {
            here.deleteAddress(RouteSocket.LOOPBACK, plan.gateAddress());
        }
    }

    /** Makes a cable of which both ends are up, and the guest's is in a namespace of its own. */
    void pair(Inet4Address guest) throws IOException {
        Namespaces.add(plan.namespace(guest), (calls, outside) -> connect(calls, guest, outside));
        up(guest);
    }

    private void connect(SystemCalls calls, Inet4Address guest, int outside) throws IOException {
        KernelVariables.setGuests();
        try (RouteSocket inside = RouteSocket.open(calls)) {
            inside.pair(INSIDE, plan.cable(guest), outside);
            int index = inside.index(INSIDE); // tunnels of the kernel's may have the first after lo
            inside.up(RouteSocket.LOOPBACK);
            inside.address(index, guest);
            inside.up(index);
            inside.route(plan.gateAddress(), index);
            inside.routeBehind(plan.gateAddress());
        }
    }

    /** Makes a namespace in which a guest's process makes its tap. */
    void room(Inet4Address guest) throws IOException {
        Namespaces.add(plan.namespace(guest), (calls, outside) -> {});
    }

    /** Takes a tap out of the namespace in which it was made. */
    void take(Inet4Address guest) throws IOException {
        Namespaces.in(plan.namespace(guest), (calls, outside) -> {
            try (RouteSocket inside = RouteSocket.open(calls)) {
                inside.move(plan.cable(guest), outside);
            }
        });
    }

    /** Whether this machine's end of a guest's cable is there. */
    boolean isThere(Inet4Address guest) {
        return KernelVariables.isThere(plan.cable(guest));
    }

    /**
     * Brings up a cable that is there, with the routes that the kernel forgets of one that is down. The gate's address is one
     * of the cable's own, for its answer to whoever asks by ARP.
     */
    void up(Inet4Address guest) throws IOException {
        String cable = plan.cable(guest);
        KernelVariables.set(cable);
        try (RouteSocket here = RouteSocket.open()) {
            int index = here.index(cable);
            here.address(index, plan.gateAddress());
            here.up(index);
            here.route(guest, index, plan.gateAddress());
        }
    }

    void down(Inet4Address guest) throws IOException {
        try (RouteSocket here = RouteSocket.open()) {
            here.down(plan.cable(guest));
        }
    }

    /** Removes what there is of a guest's. */
    void remove(Inet4Address guest) throws IOException {
        if (isThere(guest)) {
            delete(plan.cable(guest));
        }
        Namespaces.delete(plan.namespace(guest));
    }

    /** A cable goes by itself, too, with the namespace of its other end. */
    private static void delete(String cable) throws IOException {
        try (RouteSocket here = RouteSocket.open()) {
            here.delete(cable);
        } catch (SystemCallException e) {
            if (e.errno() != SystemCallException.ENODEV) {
                throw e;
            }
        }
    }

    /** Removes those of all others than these guests; what does not go is logged. */
    void removeOthers(Collection<Inet4Address> guests) throws IOException {
        Set<String> kept = new HashSet<>();
        guests.forEach(guest -> kept.add(plan.namespace(guest)));
        guests.forEach(guest -> kept.add(plan.cable(guest)));
        for (String namespace : Namespaces.names(NAMESPACES)) {
            if (!kept.contains(namespace)) {
                attempt(() -> Namespaces.delete(namespace));
            }
        }
        for (String cable : KernelVariables.interfaces(Ruleset.CABLES)) {
            if (!kept.contains(cable)) {
                attempt(() -> delete(cable));
            }
        }
    }

    private interface Removal {
        void run() throws IOException;
    }

    private static void attempt(Removal removal) {
        try {
            removal.run();
        } catch (IOException e) {
            LOG.warn("a remain of the network stays: {}", e.getMessage());
        }
    }
}
