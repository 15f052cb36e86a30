package dev.sallyport.core.resolve;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;

/**
 * The address families that this machine can dial.
 *
 * @param six whether AAAA is queried at all
 * @param sixFirst whether IPv6 is tried first: when the machine has a global IPv6 address
 */
record AddressFamilies(boolean six, boolean sixFirst) {

    static AddressFamilies ofThisMachine() {
        boolean any = false;
        boolean global = false;
        if (!NetUtil.isIpV4StackPreferred()) {
            for (NetworkInterface network : NetUtil.NETWORK_INTERFACES) {
                for (InetAddress address : network.inetAddresses().toList()) {
                    any |= address instanceof Inet6Address;
                    global |= address instanceof Inet6Address && isGlobal(address);
                }
            }
        }
        return new AddressFamilies(any, global);
    }

    /** Alternates the families, beginning with the preferred one (RFC 8305, 4); keeps the given order within each. */
    List<InetAddress> interleave(List<InetAddress> addresses) {
        List<InetAddress> v6 = new ArrayList<>();
        List<InetAddress> v4 = new ArrayList<>();
        for (InetAddress address : addresses) {
            (address instanceof Inet6Address ? v6 : v4).add(address);
        }
        List<InetAddress> first = sixFirst ? v6 : v4;
        List<InetAddress> second = sixFirst ? v4 : v6;
        List<InetAddress> ordered = new ArrayList<>(addresses.size());
        for (int i = 0; i < Math.max(first.size(), second.size()); i++) {
            if (i < first.size()) {
                ordered.add(first.get(i));
            }
            if (i < second.size()) {
                ordered.add(second.get(i));
            }
        }
        return List.copyOf(ordered);
    }

    private static boolean isGlobal(InetAddress address) {
        boolean uniqueLocal = (address.getAddress()[0] & 0xFE) == 0xFC;
        return !address.isLoopbackAddress()
                && !address.isLinkLocalAddress()
                && !address.isSiteLocalAddress()
                && !address.isMulticastAddress()
                && !uniqueLocal;
    }
}
