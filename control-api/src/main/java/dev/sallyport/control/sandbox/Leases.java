package dev.sallyport.control.sandbox;

import jakarta.inject.Singleton;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;

/**
 * Chooses addresses and ports that no VM has. They go round, so that one that was given back is not given away at once,
 * while somebody may still take it for the earlier VM. Thread-safe.
 */
@Singleton
final class Leases {

    private final SandboxSettings settings;
    private final AtomicInteger nextGuest = new AtomicInteger();
    private final AtomicInteger nextPort =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(1 << 16)); // after a restart, too

    Leases(SandboxSettings settings) {
        this.settings = settings;
    }

    /** A free address with a free port; 503 when there is none. */
    VmRow.Lease next(Handle handle) {
        SandboxSettings.Subnet subnet = settings.subnet();
        Set<Integer> taken = new HashSet<>();
        addresses(handle).forEach(address -> taken.add(subnet.number(address)));
        int number = free(taken, nextGuest, subnet.guests(), "addresses of sandboxes");
        return new VmRow.Lease(subnet.guest(number), port(handle));
    }

    /** A free port; 503 when there is none. */
    int port(Handle handle) {
        int first = settings.ssh().firstPort();
        Set<Integer> taken = new HashSet<>();
        handle.createQuery("select ssh_port from vm where ssh_port is not null")
                .mapTo(Integer.class)
                .forEach(port -> taken.add(port - first));
        return first + free(taken, nextPort, settings.ssh().lastPort() - first + 1, "SSH ports");
    }

    private static List<Long> addresses(Handle handle) {
        return handle.createQuery("select address from vm where address is not null")
                .mapTo(Long.class)
                .list();
    }

    private static int free(Set<Integer> taken, AtomicInteger next, int size, String words) {
        for (int i = 0; i < size; i++) {
            int candidate = Math.floorMod(next.getAndIncrement(), size);
            if (!taken.contains(candidate)) {
                return candidate;
            }
        }
        throw Sandboxes.unavailable("all " + size + " " + words + " are taken");
    }
}
