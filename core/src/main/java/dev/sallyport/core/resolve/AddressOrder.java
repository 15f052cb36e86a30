package dev.sallyport.core.resolve;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** The order in which addresses are tried (RFC 8305, 4). */
final class AddressOrder {

    private AddressOrder() {}

    /** Alternates the families, beginning with the preferred one; keeps the given order within each. */
    static List<InetAddress> interleave(List<InetAddress> addresses, boolean sixFirst) {
        List<InetAddress> six = new ArrayList<>();
        List<InetAddress> four = new ArrayList<>();
        for (InetAddress address : addresses) {
            (address instanceof Inet6Address ? six : four).add(address);
        }
        List<InetAddress> first = sixFirst ? six : four;
        List<InetAddress> second = sixFirst ? four : six;
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
}
