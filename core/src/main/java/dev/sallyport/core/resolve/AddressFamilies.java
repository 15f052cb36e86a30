package dev.sallyport.core.resolve;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;

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

    private static boolean isGlobal(InetAddress address) {
        boolean uniqueLocal = (address.getAddress()[0] & 0xFE) == 0xFC;
        return !address.isLoopbackAddress()
                && !address.isLinkLocalAddress()
                && !address.isSiteLocalAddress()
                && !address.isMulticastAddress()
                && !uniqueLocal;
    }
}
