package dev.sallyport.core.upstream;

import dev.sallyport.toolkit.match.Addresses;
import dev.sallyport.toolkit.match.CidrSet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Denies addresses that a workload's exchange may not be dialled to (docs/spec/decisions.md, section 12): ranges, and
 * our own listeners, to which steered names would loop. Checks the address and every IPv4 address embedded in it; the
 * unspecified address counts as the loopback address, to which the kernel connects it. Immutable and thread-safe.
 */
public final class DialGuard {

    private static final InetAddress LOOPBACK4 = literal(127, 0, 0, 1);
    private static final InetAddress LOOPBACK6 = literal(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);

    private final CidrSet denied;
    private final List<InetSocketAddress> own;
    private final Set<InetAddress> local;

    /**
     * @param denied the ranges that are denied on every port
     * @param own the addresses of our listeners, ports resolved; a wildcard stands for every address that this machine
     *     has at the time of this call
     */
    public DialGuard(CidrSet denied, Collection<InetSocketAddress> own) {
        this.denied = denied;
        this.own = List.copyOf(own);
        this.local = this.own.stream().anyMatch(DialGuard::isWildcard) ? localAddresses() : Set.of();
    }

    /** Whether dialling this address is denied. */
    public boolean denies(InetAddress address, int port) {
        if (deniesForm(Addresses.unmapped(address), port)) {
            return true;
        }
        for (InetAddress embedded : Addresses.embedded(address)) {
            if (deniesForm(embedded, port)) {
                return true;
            }
        }
        return false;
    }

    private boolean deniesForm(InetAddress form, int port) {
        InetAddress reached = form;
        if (form.isAnyLocalAddress()) {
            reached = form.getAddress().length == 4 ? LOOPBACK4 : LOOPBACK6;
        }
        return denied.contains(reached) || isOwn(reached, port);
    }

    private boolean isOwn(InetAddress address, int port) {
        for (InetSocketAddress listener : own) {
            if (listener.getPort() == port
                    && (isWildcard(listener)
                            ? address.isLoopbackAddress() || local.contains(address)
                            : Addresses.unmapped(listener.getAddress()).equals(address))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWildcard(InetSocketAddress listener) {
        return listener.getAddress().isAnyLocalAddress();
    }

    private static Set<InetAddress> localAddresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .collect(Collectors.toUnmodifiableSet());
        } catch (SocketException e) {
            throw new IllegalStateException("network interfaces: cannot be listed", e);
        }
    }

    private static InetAddress literal(int... bytes) {
        byte[] address = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            address[i] = (byte) bytes[i];
        }
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
