package dev.sallyport.core.upstream;

import dev.sallyport.toolkit.match.Addresses;
import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.IpRange;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Denies the addresses that may not be dialled for a workload (docs/spec/decisions.md, section 12): configured ranges,
 * and the proxy's own listeners, to which steered names would loop. Checks the address and every IPv4 address embedded
 * in it; the unspecified address counts as the loopback address, to which the kernel connects it. Immutable and
 * thread-safe.
 */
public final class DialGuard {

    private static final InetAddress LOOPBACK4 = literal(127, 0, 0, 1);
    private static final InetAddress LOOPBACK6 = literal(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);

    /** The field of {@link #DialGuard(CidrSet, Collection)}. */
    private static final String USUAL = "proxy.upstream_deny_cidrs";

    private final Map<String, CidrSet> denied;
    private final List<InetSocketAddress> own;
    private final Set<InetAddress> local;

    /** @param denied the ranges of {@code proxy.upstream_deny_cidrs} */
    public DialGuard(CidrSet denied, Collection<InetSocketAddress> own) {
        this(Map.of(USUAL, denied), own);
    }

    /**
     * With ranges of several fields.
     *
     * @param denied the ranges that are denied on every port, by the field of the configuration that has them
     * @param own the addresses of the proxy's listeners, ports resolved; a wildcard stands for every address that this
     *     machine has now
     */
    public DialGuard(Map<String, CidrSet> denied, Collection<InetSocketAddress> own) {
        this.denied = Map.copyOf(denied);
        this.own = List.copyOf(own);
        this.local = this.own.stream().anyMatch(DialGuard::isWildcard) ? Addresses.ofThisMachine() : Set.of();
    }

    /** Whether dialling this address is denied. */
    public boolean denies(InetAddress address, int port) {
        return deniedForm(address, port) != null;
    }

    /**
     * What denies an address, for the operator, such as {@code 10.1.2.3 is in 10.0.0.0/8 of proxy.upstream_deny_cidrs}.
     *
     * @param address one that is {@linkplain #denies denied}
     */
    String why(InetAddress address, int port) {
        InetAddress reached = deniedForm(address, port);
        if (reached == null) {
            throw new IllegalArgumentException("an address that is not denied");
        }
        String text = NetUtil.toAddressString(address);
        String subject =
                reached.equals(address) ? text : text + ", which reaches " + NetUtil.toAddressString(reached) + ",";
        for (Map.Entry<String, CidrSet> field : denied.entrySet()) {
            IpRange range = field.getValue().rangeOf(reached);
            if (range != null) {
                return subject + " is in " + range + " of " + field.getKey();
            }
        }
        return subject + " is this proxy itself, on port " + port;
    }

    /** The first form of an address that is denied; null when none is. */
    private @Nullable InetAddress deniedForm(InetAddress address, int port) {
        InetAddress reached = form(Addresses.unmapped(address));
        if (deniesForm(reached, port)) {
            return reached;
        }
        for (InetAddress embedded : Addresses.embedded(address)) {
            reached = form(embedded);
            if (deniesForm(reached, port)) {
                return reached;
            }
        }
        return null;
    }

    /** Whether the proxy's own listeners are reached at this address. */
    boolean leadsBack(InetAddress address, int port) {
        return isOwn(form(Addresses.unmapped(address)), port);
    }

    private boolean deniesForm(InetAddress reached, int port) {
        for (CidrSet ranges : denied.values()) {
            if (ranges.contains(reached)) {
                return true;
            }
        }
        return isOwn(reached, port);
    }

    private static InetAddress form(InetAddress address) {
        if (!address.isAnyLocalAddress()) {
            return address;
        }
        return address.getAddress().length == 4 ? LOOPBACK4 : LOOPBACK6;
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
